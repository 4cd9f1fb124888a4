import type { RunNotice } from '../../domain/runs/run-notice.js';

export interface WebhookPort {
  /** Resolves to why the notice was not taken, without the address; null where it was. */
  readonly send: (notice: RunNotice) => Promise<string | null>;
}
