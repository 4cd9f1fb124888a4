import { add, max, sum, type Amount } from '../../../domain/budget/amount.js';
import { spentByRun } from '../../../domain/evaluations/evaluation.js';
import type { EvaluationName } from '../../../domain/ids.js';
import { sampleKeysOf } from '../../../domain/runs/dataset.js';
import { amountOfProbes } from '../../../domain/runs/probes.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import { amountOfReply, amountOfTool } from '../../../domain/runs/spent-amount.js';
import { storageOf, type Environment } from '../../../domain/settings.js';
import { listRuns, RunFolder } from '../run-folder.js';

/** All runs of an evaluation, those included whose cells have been taken out of its file. */
export const runsOfEvaluation = async (
  environment: Environment,
  name: EvaluationName,
): Promise<readonly RunManifest[]> =>
  (await listRuns(environment.TURNWISE_HOME, storageOf(environment))).filter(
    ({ evaluation }) => evaluation?.name === name,
  );

/** What a run that is not under way has taken of a budget. Of one that has not ended the stored replies are counted. */
async function spentAmount(folder: RunFolder, manifest: RunManifest): Promise<Amount> {
  if (manifest.status !== 'running') return spentByRun(manifest);
  const keys = sampleKeysOf(await folder.items(), manifest.config.epochs);
  const counted: Amount[] = [amountOfProbes(manifest.probes)];
  for (const key of keys) {
    const turns = await folder.turns(key);
    counted.push(
      ...turns.map(({ reply, observation }) =>
        add(amountOfReply(reply), amountOfTool(observation?.facts)),
      ),
      ...(await folder.judgeReplies(key)).map(amountOfReply),
    );
  }
  return max(sum(counted), spentByRun(manifest));
}

/** What each run of an evaluation has taken of its budget, by the run. */
export async function spentAmounts(
  environment: Environment,
  runs: readonly RunManifest[],
): Promise<ReadonlyMap<string, Amount>> {
  const amounts = new Map<string, Amount>();
  for (const manifest of runs) {
    amounts.set(manifest.run, await spentAmount(RunFolder.of(environment, manifest.run), manifest));
  }
  return amounts;
}
