import type { WebhookPort } from '../../../activities/ports/webhook.js';
import { exchange } from './exchange.js';

/** A run that ends waits no longer for each attempt. */
const answerWithinMs = 3_000;

/** @param url - which may hold a secret: no message names it */
export const createWebhook = (url: string): WebhookPort => ({
  send: async (notice) => {
    try {
      const { ok, status } = await exchange(new URL(url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(notice),
        signal: AbortSignal.timeout(answerWithinMs),
        mostBytes: 1e6,
      });
      return ok ? null : `it answered with status ${status}`;
    } catch (error) {
      const { code = 'no answer' } = error as NodeJS.ErrnoException;
      return `it cannot be reached (${code})`;
    }
  },
});
