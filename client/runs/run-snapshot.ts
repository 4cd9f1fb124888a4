import type { Client } from '@temporalio/client';
import { accountWorkflowPrefix } from '../../domain/ids.js';
import type { ModelConfig } from '../../domain/models/model-settings.js';
import { accountSummaryText } from '../../domain/rate-limits/account-summary.js';
import { runStatus, type RunStatus } from '../../domain/runs/run-status.js';
import { usualTurnMs } from '../../domain/runs/slow-question.js';
import type { ScoreLedger } from '../../domain/scoring/score-ledger.js';
import { accountQuery } from '../../workflows/messages.js';
import type { Answer, RunQuery } from './query-run.js';
import { samplesOf, type RunFolder } from './run-folder.js';
import { ledgerOf, readRun, type RunFiles } from './run-scores.js';

/** Status lines do not wait longer for the limits of an account. */
const deadlineMs = 3_000;

/**
 * What the workers know of the provider's limits for a model: one line for each key in use. None where no worker has
 * called the model in the last minutes, or Temporal does not answer.
 */
export async function accountLines(
  client: Client,
  { baseUrl, name }: Pick<ModelConfig, 'baseUrl' | 'name'>,
): Promise<readonly string[]> {
  const query = `WorkflowId STARTS_WITH '${accountWorkflowPrefix(baseUrl, name)}' AND ExecutionStatus = 'Running'`;
  try {
    return await client.withDeadline(Date.now() + deadlineMs, async () => {
      const lines: string[] = [];
      for await (const { workflowId } of client.workflow.list({ query })) {
        const summary = await client.workflow.getHandle(workflowId).query(accountQuery);
        lines.push(`${new URL(baseUrl).host}, model ${name}: ${accountSummaryText(summary)}`);
      }
      return lines;
    });
  } catch {
    return [];
  }
}

/** All that is known of a run. */
export interface RunSnapshot extends RunFiles, Omit<Answer, 'histories'> {
  readonly status: RunStatus;
  readonly ledger: ScoreLedger;
  /** What a turn usually takes; null where none has been seen. */
  readonly turnMs: number | null;
  readonly nowMs: number;
}

/** Asks the services that run. */
export type Ask = (query: RunQuery) => Promise<Answer>;

/** Of so many questions the size of a turn's history is told, unless more are asked for. */
const historiesSeen = 100;

/** @param asked - null where no services run, or none need be asked */
export async function takeSnapshot(
  folder: RunFolder,
  taskQueue: string,
  asked: Promise<Ask | null>,
  histories = historiesSeen,
): Promise<RunSnapshot> {
  const files = await readRun(folder);
  const { manifest, results, scores } = files;
  const isEnded = manifest.status !== 'running';
  const turnMs = usualTurnMs(results);
  const ask = await asked;
  const query = {
    taskQueue,
    run: folder.run,
    folder,
    turnMs,
    isEnded,
    model: manifest.config.model,
    histories,
  };
  const answer = ask ? await ask(query) : { ...unanswered, ...(isEnded && { live: null }) };
  const { live } = answer;
  const inFlight = live?.kind === 'open' ? live.progress.inFlight : [];
  const status = runStatus(samplesOf(manifest), results, scores, answer.histories, inFlight);
  return { ...files, ...answer, status, ledger: ledgerOf(files), turnMs, nowMs: Date.now() };
}

const unanswered: Answer = { live: { kind: 'no-services' }, histories: [], limits: [] };
