import type { Client } from '@temporalio/client';
import type { RunLive } from '../domain/runs/run-live.js';
import type { QuestionHistory } from '../domain/runs/run-status.js';
import type { ModelConfig } from '../domain/models/model-config.js';
import { accountLines } from './account-lines.js';
import { questionHistories } from './question-histories.js';
import { lookAtRun, type RunToLookAt } from './run-live.js';

export interface Inquiry extends Omit<RunToLookAt, 'client'> {
  readonly isEnded: boolean;
  /** Null where it is known to the workers alone. */
  readonly model: ModelConfig | null;
  /** Histories wanted at most. */
  readonly histories: number;
}

/** What services that run know of a run. */
export interface Answer {
  /** Null where the run has ended. */
  readonly live: RunLive | null;
  readonly histories: readonly QuestionHistory[];
  /** How its provider's limits stand, a line each. */
  readonly limits: readonly string[];
}

export async function inquire(client: Client, inquiry: Inquiry): Promise<Answer> {
  const { isEnded, model } = inquiry;
  const [live, histories, limits] = await Promise.all([
    isEnded ? null : lookAtRun({ client, ...inquiry }),
    questionHistories(client, inquiry.run, inquiry.histories),
    isEnded || model === null ? [] : accountLines(client, model),
  ]);
  return { live, histories, limits };
}
