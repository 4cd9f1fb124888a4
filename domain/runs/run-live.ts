import type { RunProgress } from './run-progress.js';
import type { SlowQuestion } from './slow-question.js';

/** What the server says of a run that has not ended. */
export type RunLive =
  /** No services run, so nothing is under way. */
  | { readonly kind: 'no-services' }
  /** The server has no such run open. */
  | { readonly kind: 'not-open' }
  /** It is open, and no worker can go on with its workflow. */
  | { readonly kind: 'stuck' }
  /** It is open, and its workflow did not answer in time. */
  | { readonly kind: 'silent'; readonly workers: number }
  | {
      readonly kind: 'open';
      readonly progress: RunProgress;
      /** Those for which nothing has happened for much longer than turns take, the slowest first. */
      readonly stuck: readonly SlowQuestion[];
    };
