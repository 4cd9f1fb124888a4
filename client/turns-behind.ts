import { keyText, type SampleKey } from '../domain/ids.js';
import { samplesOf } from '../domain/questions/samples.js';
import type { RunPlan } from './prepare-run.js';
import { repliedTurns } from './stored-turns.js';

/**
 * For each sample that a run has left, how many of its turns are paid for: its own, or those it takes over.
 * @param ended - samples of the run that have ended
 */
export function turnsBehind(
  { folder, manifest, items, fork }: RunPlan,
  ended: readonly SampleKey[],
): readonly number[] {
  const over = new Set([...ended, ...(fork?.ended ?? [])].map(keyText));
  const left = samplesOf(items, manifest.config.epochs).filter((key) => !over.has(keyText(key)));
  if (fork === null) return left.map((key) => repliedTurns(folder, key).length);
  const { from, fromTurn } = fork;
  const kept = new Set(fork.kept.map(keyText));
  return left.map((key) =>
    kept.has(keyText(key)) ? repliedTurns(from, key).filter((turn) => turn < fromTurn).length : 0,
  );
}
