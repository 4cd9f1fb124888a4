import { log, sleep } from '@temporalio/activity';
import type { RunNotice } from '../../domain/runs/run-notice.js';
import { activity } from '../failures.js';
import type { WebhookPort } from '../ports/webhook.js';

const mostAttempts = 3;
const pauseMs = 1_000;

/** Sends a notice to the webhook of this worker, if it has one. What is not taken is logged, and never fails. */
export function createTellWebhook({
  webhook,
}: {
  readonly webhook: WebhookPort | null;
}): (notice: RunNotice) => Promise<void> {
  return activity(async (notice) => {
    for (let attempt = 1; webhook !== null; attempt += 1) {
      const reason = await webhook.send(notice);
      if (reason === null) return;
      if (attempt === mostAttempts) {
        const { run, event } = notice;
        log.warn('the webhook did not take a notice', { run, event, reason });
        return;
      }
      await sleep(pauseMs);
    }
  });
}
