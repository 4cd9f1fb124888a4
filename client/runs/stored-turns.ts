import { keyText, type SampleKey } from '../../domain/ids.js';
import { sampleKeysOf } from '../../domain/runs/dataset.js';
import type { RunPlan } from './prepare-run.js';

/**
 * For each sample that a run has left, how many of its turns are paid for: its own, or those it takes over.
 * @param ended - samples of the run that have ended
 */
export async function turnsBehind(
  { folder, manifest, items, fork }: RunPlan,
  ended: readonly SampleKey[],
): Promise<readonly number[]> {
  const over = new Set([...ended, ...(fork?.ended ?? [])].map(keyText));
  const left = sampleKeysOf(items, manifest.config.epochs).filter((key) => !over.has(keyText(key)));
  const { from = folder, fromTurn = Infinity, kept } = fork ?? {};
  const taken = kept && new Set(kept.map(keyText));
  const begun = await from.begun();
  return Promise.all(
    left.map(async (key) => {
      if (!begun.has(key) || taken?.has(keyText(key)) === false) return 0;
      return (await from.repliedTurns(key)).filter((turn) => turn < fromTurn).length;
    }),
  );
}
