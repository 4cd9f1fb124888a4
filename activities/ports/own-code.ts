import type { Plugin } from '../../domain/agent/plugin.js';
import type { OwnOutcome } from '../../domain/own-code.js';

export interface PluginCall {
  readonly plugin: Pick<Plugin, 'path' | 'sha256'>;
  /** The code of the plugin; null if it is not there. Read at the first call only. */
  readonly code: () => Promise<string | null>;
  readonly what: 'action' | 'scorer';
  readonly name: string;
  /** The first argument of the function, and its second without the signal. Both survive JSON. */
  readonly input: unknown;
  readonly context: unknown;
  readonly timeoutMs: number;
}

export interface ProgramCall {
  /** For a shell. */
  readonly command: string;
  /** Survives JSON: one line of the program's standard input. */
  readonly input: unknown;
  readonly timeoutMs: number;
}

/**
 * The user's own code. What it does wrong is an outcome. Throws PortFailure where it cannot be asked: `PluginMissing`, and
 * `PluginStopped`, which can be retried.
 */
export interface OwnCodePort {
  readonly callPlugin: (call: PluginCall, signal: AbortSignal) => Promise<OwnOutcome>;
  readonly callProgram: (call: ProgramCall, signal: AbortSignal) => Promise<OwnOutcome>;
}
