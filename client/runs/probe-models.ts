import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { rootCause } from '@temporalio/common';
import { isCapped } from '../../domain/budget/amount.js';
import { probeWorkflowId, runWorkflowId, type QuestionId, type RunId } from '../../domain/ids.js';
import { probedModels } from '../../domain/runs/probe-requests.js';
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
export type ProbesMade =
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

/** One question for each scorer of the user's. */
function scoredByOwn(items: RunPlan['items']): readonly QuestionId[] {
  const first = new Map<string, QuestionId>();
  for (const { uuid, evaluator } of items) {
    const scorer = ownScorerOf(evaluator);
    if (scorer === null) continue;
    const name = ownName(scorer);
    if (!first.has(name)) first.set(name, uuid);
  }
  return [...first.values()].slice(0, mostScorers);
}

/** Others are likely to be like them. */
const mostScorers = 20;

/** Whether the workflow of a run is open, so that its models are being asked already. */
export const isOpenRun = async (client: HomeClient, run: RunId): Promise<boolean> =>
  (await describeOpen(client, runWorkflowId(client.home, run))) !== null;

/**
 * Has a worker ask each scorer of the user's about one answer, and make one small call of each model. Two commands that start the same run at once wait for the same calls.
 * @param onWait - called when this takes longer than usual
 */
export async function probeModels(
  client: HomeClient,
  { manifest, items }: Pick<RunPlan, 'manifest' | 'items'>,
  models: readonly string[],
  onWait: () => void,
): Promise<ProbesMade> {
  const {
    run,
    config: { budget },
  } = manifest;
  const handle = await client.workflow.start<typeof probeModelsWorkflow>(
    workflowNames.probeModels,
    {
      workflowId: probeWorkflowId(client.home, run),
      taskQueue: client.queue,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [{ run, models, capped: isCapped(budget), scored: scoredByOwn(items) }],
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
