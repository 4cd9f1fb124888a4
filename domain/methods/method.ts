import type { ActionName } from '../actions/action.js';
import type { StoreManifest } from '../stores/store-manifest.js';
import type { MethodName } from './method-names.js';

/** What the schema blocks of a task are rendered from. */
export type PromptStore = Pick<StoreManifest, 'name' | 'collections'>;

/** A way of answering: data over one loop, not a program of its own. */
export interface Method {
  readonly name: MethodName;
  /** One line, for `--help` and reports. */
  readonly summary: string;
  readonly actions: readonly ActionName[];
  /** A template with `{{actionSpace}}` and `{{maxTurns}}`. */
  readonly system: string;
  /** Appended to the task, in this order. */
  readonly schemaBlocks: (store: PromptStore) => readonly string[];
}
