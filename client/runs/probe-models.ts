import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { rootCause } from '@temporalio/common';
import { isCapped } from '../../domain/budget/amount.js';
import { probeWorkflowId, runWorkflowId, type QuestionId, type RunId } from '../../domain/ids.js';
import { probedModels } from '../../domain/runs/probe-requests.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import { evaluatorOf, mayNeedJudge } from '../../domain/scoring/dataset-item.js';
import { ownName, ownScorerOf } from '../../domain/scoring/own-scorer.js';
import { workflowNames } from '../../workflows/messages.js';
import type { Probed, probeModelsWorkflow } from '../../workflows/jobs/probe-models.js';
import type { HomeClient } from '../services/home-client.js';
import type { RunPlan } from './prepare-run.js';
import { describeOpen } from './restarted.js';
import { samplesOf } from './run-folder.js';

/** Longer than most models take to answer. */
const usualMs = 5_000;
/** Longer than a worker takes to begin, when there is one. */
const workerMs = 20_000;

/** `unmade`: there was no probe, for a reason that lies outside of the models. */
type ProbesMade =
  ({ readonly kind: 'made' } & Probed) | { readonly kind: 'unmade'; readonly reason: string };

/** The names of the models that a planned run is going to ask. None if it asks nothing, or nothing more. */
export async function modelsToProbe(plan: RunPlan): Promise<readonly string[]> {
  const { manifest, folder, fork, items } = plan;
  if (plan.kind === 'ended') return [];
  const ended =
    plan.kind === 'continued' ? (await folder.results()).length : (fork?.ended.length ?? 0);
  if (ended >= samplesOf(manifest)) return [];
  const needsJudges = items.some((item) => {
    const evaluator = evaluatorOf(item);
    return evaluator !== undefined && mayNeedJudge(evaluator);
  });
  const { config } = manifest;
  return probedModels(needsJudges ? config : { ...config, judging: null }).map(({ name }) => name);
}

/** The scorers of the user's that a planned run asks, each with a question of it. */
export function scorersToTry({ items }: Pick<RunPlan, 'items'>): ReadonlyMap<string, QuestionId> {
  const scorers = new Map<string, QuestionId>();
  for (const { uuid, evaluator } of items) {
    const scorer = ownScorerOf(evaluator);
    const name = scorer && ownName(scorer);
    if (name !== null && !scorers.has(name)) scorers.set(name, uuid);
    if (scorers.size === mostScorers) break;
  }
  return scorers;
}

/** Others are likely to be like them. */
const mostScorers = 20;

/** Whether the workflow of a run is open, so that its models are being asked already. */
export const isOpenRun = async (client: HomeClient, run: RunId): Promise<boolean> =>
  (await describeOpen(client, runWorkflowId(client.home, run))) !== null;

/**
 * Has a worker ask scorers of the user's about one answer each, and make one small call of each model. Two commands that start
 * the same run at once wait for the same calls.
 * @param scored - a question for each scorer
 * @param onWait - called when this takes longer than usual
 */
export async function probeModels(
  client: HomeClient,
  { run, config: { budget } }: RunManifest,
  models: readonly string[],
  scored: readonly QuestionId[],
  onWait: () => void,
): Promise<ProbesMade> {
  const handle = await client.workflow.start<typeof probeModelsWorkflow>(
    workflowNames.probeModels,
    {
      workflowId: probeWorkflowId(client.home, run),
      taskQueue: client.queue,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [{ run, models, capped: isCapped(budget), scored }],
    },
  );
  const result = resultOf(handle);
  const isLate = async (ms: number): Promise<boolean> =>
    (await Promise.race([result, sleep(ms, null, { ref: false })])) === null;
  if (!(await isLate(usualMs))) return result;
  onWait();
  if (!(await isLate(workerMs - usualMs)) || (await isTaken(handle))) return result;
  await handle.terminate('no worker runs that could make the calls');
  return { kind: 'unmade', reason: 'no worker runs that could make the call' };
}

async function resultOf(handle: WorkflowHandle<typeof probeModelsWorkflow>): Promise<ProbesMade> {
  try {
    return { kind: 'made', ...(await handle.result()) };
  } catch (error) {
    return { kind: 'unmade', reason: rootCause(error) ?? String(error) };
  }
}

/** The first two events of a history are its start, and the task that no worker has taken yet. */
const isTaken = async (handle: WorkflowHandle): Promise<boolean> =>
  (await handle.describe()).historyLength > 2;
