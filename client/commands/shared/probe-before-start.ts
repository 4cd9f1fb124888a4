import { addProbes, spentOnProbes, type ProbeOutcome } from '../../../domain/runs/probes.js';
import { manifestFile } from '../../../domain/runs/run-manifest.js';
import { apiFacts } from '../../../domain/model-api.js';
import { probedModels } from '../../../domain/runs/probe-requests.js';
import type { RunConfig } from '../../../domain/runs/run-config.js';
import type { FailureName } from '../../../domain/failure-type.js';
import type { Environment } from '../../../domain/settings.js';
import { exitStatus, UserError } from '../../../domain/user-error.js';
import type { RunId } from '../../../domain/ids.js';
import type { RunPlan } from '../../runs/prepare-run.js';
import { isOpenRun, modelsToProbe, probeModels, scorersToTry } from '../../runs/probe-models.js';
import { RunRemover } from '../../runs/removal/remove-runs.js';
import type { HomeClient } from '../../services/home-client.js';
import type { Session } from '../../services/session.js';
import { note, tell } from '../../services/tell.js';
import { dollars } from '../../../domain/models/usage.js';

/**
 * Has one small call made of each model that a run is going to ask, and each scorer of the user's tried, so that a wrong key,
 * name or address, or a broken scorer, costs no question.
 * What the calls have cost goes into the run's manifest. Throws UserError where a model cannot be asked: of a new run that has cost nothing, nothing is left.
 * @param probed - models and scorers that other runs have tried; those of this run are added. @defaultValue none
 */
export async function probeBeforeStart(
  { client }: Session,
  environment: Environment,
  plan: RunPlan,
  probed = new Set<string>(),
): Promise<void> {
  const { manifest, folder } = plan;
  const { run } = manifest;
  const models = await modelsToProbe(plan);
  if (models.length === 0 || (await isOpenRun(client, run))) return;
  const isOld = models.every((model) => probed.has(model));
  const scorers = [...scorersToTry(plan)].filter(([name]) => !probed.has(name));
  if (isOld && scorers.length === 0) return;
  for (const name of [...models, ...scorers.map(([name]) => name)]) probed.add(name);
  const scored = scorers.map(([, uuid]) => uuid);
  const made = await probeModels(client, manifest, isOld ? [] : models, scored, () =>
    note(
      `waiting for ${models.join(', ')} to answer a probe call; --no-probe starts a run without it`,
    ),
  );
  if (made.kind === 'unmade') {
    note(`probe: none was made, and the run starts without it: ${made.reason}`);
    return;
  }
  const spent = spentOnProbes(made.outcomes);
  if (spent.calls > 0) {
    const now = await folder.manifest();
    await folder.writeJson(manifestFile, { ...now, probes: addProbes(now.probes, spent) });
  }
  const refuse = async (reason: string, status: RefusalStatus): Promise<never> => {
    if (plan.kind === 'new' && spent.calls === 0) await withdraw(client, environment, run);
    const again = `once that is mended, the same command starts run ${run}; with --no-probe it starts all the same.`;
    throw new UserError(`${reason}Nothing was asked: ${again}`, status);
  };
  if (made.scorerFailure !== null) {
    const why = `the scorer gives no score for the gold answer, or for an empty one where there is none: ${made.scorerFailure}\n`;
    return refuse(why, exitStatus.badInput);
  }
  for (const outcome of made.outcomes) {
    const status = outcome.kind === 'failed' ? refusalStatus[outcome.failure] : undefined;
    if (outcome.kind === 'failed' && status !== undefined) {
      const reasons = [outcome.message, ...keyRemedy(outcome, environment, manifest.config)];
      await refuse(`${reasons.join(' ')} `, status);
    }
    if (outcome.kind === 'answered') tell(probeText(outcome));
    else note(probeText(outcome));
  }
}

/** Removes a run that nobody has started. */
async function withdraw(client: HomeClient, environment: Environment, run: RunId): Promise<void> {
  const remover = new RunRemover(environment);
  await remover.requireEnded(client, [run]);
  for (const found of await remover.find([run]))
    await remover.remove(found, null, { withReplies: false });
}

type RefusalStatus = UserError['status'];

/** The exit status where a model cannot be asked. After any other failure the run starts, as that says nothing of its model. */
const refusalStatus: Partial<Record<FailureName, RefusalStatus>> = {
  ModelRefusedKey: exitStatus.badInput,
  ModelUnknown: exitStatus.badInput,
  ModelRejectedRequest: exitStatus.badInput,
  ModelQuotaSpent: exitStatus.badInput,
  // A web page instead of a completion. A reply without text is no failure of a probe.
  ModelRepliedNonsense: exitStatus.badInput,
  ModelUnavailable: exitStatus.serviceUnreachable,
};

/** Where this command has the key that the worker misses. */
const keyRemedy = (
  { keyMissing, model }: Extract<ProbeOutcome, { readonly kind: 'failed' }>,
  environment: Environment,
  config: RunConfig,
): readonly string[] => {
  const api = probedModels(config).find(({ name }) => name === model)?.api ?? 'chat';
  const variable = apiFacts[api].keyVariable;
  return keyMissing === true && environment[variable] !== undefined
    ? [
        `This command has ${variable}, and the worker was started without it: stop \`turnwise up\` and start it again where the key is set, or write the key to .env before.`,
      ]
    : [];
};

/** What came of the probe of a model whose run starts. */
function probeText(outcome: ProbeOutcome): string {
  switch (outcome.kind) {
    case 'answered': {
      const { model, ms, spent } = outcome;
      const cost = spent.costUsd === null ? 'cost unknown' : dollars(spent.costUsd);
      return `probe: ${model} answered in ${(ms / 1000).toFixed(1)} s (${cost})`;
    }
    case 'unusable':
    case 'postponed':
    case 'failed':
      return `probe: ${outcome.model} could not be tried, and the run starts all the same: ${outcome.message}`;
  }
}

/** Stands below the forecast of a run whose models are probed. */
export const probeNote = (models: readonly string[]): string =>
  `not included: a small call of ${models.join(', ')}, which shows before the start whether the run can ask at all; --no-probe leaves it out`;
