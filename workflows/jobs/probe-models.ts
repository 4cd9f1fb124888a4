import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import { add } from '../../domain/budget/amount.js';
import { modelApis, type ModelEndpoint } from '../../domain/model-api.js';
import type { QuestionId, RunId } from '../../domain/ids.js';
import {
  amountOfProbes,
  probeAttempts,
  probeTimeoutMs,
  spentOnProbes,
  type ProbeOutcome,
} from '../../domain/runs/probes.js';
import { failedActivity } from '../activity-failure.js';
import { callWithRetries } from '../model-call.js';
import { forMinutes, queued } from '../scheduling.js';

const { countSpent, tryScorer } = queued('1 hour', forMinutes);
const { askEndpoints } = proxyActivities<Activities>({
  startToCloseTimeout: '8 seconds',
  retry: { maximumAttempts: 1 },
});

/** Which model endpoints a worker can ask, with the keys that it has. */
export const askEndpointsWorkflow = async (): Promise<{
  readonly endpoints: readonly ModelEndpoint[];
}> => ({ endpoints: await askEndpoints({ apis: modelApis }) });

export interface ProbeModelsInput {
  readonly run: RunId;
  /** The names of the models to be probed, which are the first of those of the run. */
  readonly models: readonly string[];
  /** Whether the run has a budget, which must cover the calls. */
  readonly capped: boolean;
  /** Questions that scorers of the user's score, one for each scorer. */
  readonly scored: readonly QuestionId[];
}

export interface Probed {
  readonly outcomes: readonly ProbeOutcome[];
  /** Why a scorer of the user's gives no score; no model is asked then. Null if all do. */
  readonly scorerFailure: string | null;
}

/** Finds out whether the scorers and models of a run can be asked, one after the other, up to the first that cannot. */
export async function probeModelsWorkflow({
  run,
  models,
  capped,
  scored,
}: ProbeModelsInput): Promise<Probed> {
  for (const uuid of scored) {
    const scorerFailure = await tryScorer({ run, uuid });
    if (scorerFailure !== null) return { outcomes: [], scorerFailure };
  }
  const spentBefore = capped ? await countSpent({ run }) : null;
  const outcomes: ProbeOutcome[] = [];
  for (const [model, name] of models.entries()) {
    setCurrentDetails(`asking whether ${name} answers`);
    const spent = spentBefore && add(spentBefore, amountOfProbes(spentOnProbes(outcomes)));
    const outcome = await probe(name, { run, model, ...(spent && { spent }) });
    outcomes.push(outcome);
    if (outcome.kind === 'failed') break;
  }
  return { outcomes, scorerFailure: null };
}

async function probe(
  model: string,
  input: Parameters<Activities['probeModel']>[0],
): Promise<ProbeOutcome> {
  try {
    return await callWithRetries(
      { modelTimeoutMs: probeTimeoutMs, modelAttempts: probeAttempts },
      ({ probeModel }, ...attempts) =>
        probeModel.executeWithOptions({ summary: model }, [input, ...attempts]),
    );
  } catch (error) {
    const failed = failedActivity(error);
    if (failed === null) throw error;
    const { type, message } = failed;
    return { kind: 'failed', model, failure: type ?? 'Unknown', message };
  }
}
