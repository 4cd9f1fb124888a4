/** What became of a call of the user's own code. The message is one sentence without a full stop, with the user's file and line. */
export type OwnOutcome = { readonly kind: 'returned'; readonly value: unknown } | OwnFailed;

export interface OwnFailed {
  readonly kind: 'failed';
  readonly failure: OwnFailure;
  readonly message: string;
  /** The last lines that a program wrote to stderr. */
  readonly lastWords?: string;
}

/**
 * - `threw`: it threw an error
 * - `timeout`: it took longer than it may
 * - `crash`: its process or thread ended
 * - `killed`: its process was killed
 * - `nonsense`: what it gave is not what was asked for
 */
export type OwnFailure = 'threw' | 'timeout' | 'crash' | 'killed' | 'nonsense';

export const ownFailure = (failure: OwnFailure, message: string): OwnFailed => ({
  kind: 'failed',
  failure,
  message,
});
