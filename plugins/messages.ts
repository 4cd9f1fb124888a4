import type { OwnFailure } from '../domain/agent/plugin.js';
import type { Exported } from '../domain/agent/plugin-exports.js';

/** What a thread of a plugin is started with. */
export interface ThreadData {
  /** The file of the plugin's code, an absolute path. */
  readonly file: string;
}

/** What a thread is sent. */
export type ToThread =
  | {
      readonly kind: 'call';
      readonly id: number;
      readonly what: 'action' | 'scorer';
      readonly name: string;
      readonly input: unknown;
      readonly context: unknown;
    }
  | { readonly kind: 'abort'; readonly id: number }
  | { readonly kind: 'ping' };

/** What a thread sends. An `error` is of the user's code. */
export type FromThread =
  | { readonly kind: 'loaded'; readonly exported: Exported }
  | { readonly kind: 'not-loaded'; readonly error: ThrownError }
  | { readonly kind: 'returned'; readonly id: number; readonly value: unknown }
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly failure: Extract<OwnFailure, 'nonsense' | 'threw'>;
      readonly error: ThrownError;
    }
  | { readonly kind: 'pong' };

export interface ThrownError {
  readonly message: string;
  /** With the files and lines of the sources; empty if what was thrown is no error. */
  readonly stack: string;
}
