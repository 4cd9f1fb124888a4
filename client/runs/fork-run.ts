import type { RunFilesPort } from '../../activities/ports/run-files.js';
import { keyText, type SampleKey } from '../../domain/ids.js';
import type { DatasetItem } from '../../domain/scoring/dataset-item.js';
import { endedForOutsideReasons } from '../../domain/agent/question-result.js';
import { sampleKeysOf } from '../../domain/runs/dataset.js';
import type { PaidCall } from '../../domain/agent/turn-record.js';
import { keptSamples } from '../../domain/runs/run-fork.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import type { RunFolder } from './run-folder.js';

/** What a new run begins from. */
export interface Origin {
  readonly folder: RunFolder;
  /** The first turn that is asked anew, whatever has changed. Absent where turns are kept that hold for the new run, too. */
  readonly fromTurn?: number;
}

/** What a new run takes over from an earlier one. */
export interface Fork {
  readonly from: RunFolder;
  /** Samples whose stored turns hold for the new run. */
  readonly kept: readonly SampleKey[];
  /** Of them, those that had ended for reasons of their own: nothing is left to be asked. */
  readonly ended: readonly SampleKey[];
  /** The first turn that is asked anew. Infinity where all that are stored are kept. */
  readonly fromTurn: number;
}

export async function planFork(
  { folder: from, fromTurn = Infinity }: Origin,
  now: { readonly manifest: RunManifest; readonly items: readonly DatasetItem[] },
): Promise<Fork> {
  const kept =
    fromTurn === Infinity
      ? keptSamples({ manifest: await from.manifest(), items: await from.items() }, now)
      : sampleKeysOf(now.items, now.manifest.config.epochs);
  const names = new Set(kept.map(keyText));
  const ended = (await from.results())
    .filter((result) => names.has(keyText(result)) && !endedForOutsideReasons[result.outcome.kind])
    .filter(({ turns }) => turns < fromTurn);
  return { from, kept, ended, fromTurn };
}

/**
 * Copies the stored turns, and what judges said, as replies of which nothing is paid again. The scores are not copied:
 * they are made anew, and what judges said counts where the same judges are asked the same.
 */
export async function takeOver({ from, kept, fromTurn }: Fork, to: RunFolder): Promise<void> {
  for (const key of kept) await takeOverQuestion(key, from, to, fromTurn);
}

async function takeOverQuestion(
  key: SampleKey,
  from: RunFolder,
  to: RunFolder,
  fromTurn: number,
): Promise<void> {
  const questionContext = await from.questionContext(key);
  const save = (work: (files: RunFilesPort) => Promise<unknown>): Promise<void> =>
    to.store('turns', work);
  if (questionContext !== null) {
    await save((files) => files.saveQuestionContext(to.run, key, questionContext));
  }
  for (const { reply, observation } of await from.turns(key)) {
    if (reply.turn >= fromTurn) break;
    await save((files) => files.saveReply(to.run, key, unpaid(reply)));
    if (observation === null) continue;
    const free = structuredClone(observation);
    delete free.facts?.costUsd;
    await save((files) => files.saveObservation(to.run, key, free));
  }
  for (const reply of await from.judgeReplies(key)) {
    await save((files) => files.saveJudgeReply(to.run, key, unpaid(reply)));
  }
}

const unpaid = <Reply extends PaidCall>(reply: Reply): Reply => ({
  ...reply,
  costUsd: 0,
  cacheHit: reply.model !== null,
  retries: 0,
  unanswered: undefined,
});
