import { add, max, sum, type Amount } from '../../domain/budget/amount.js';
import type { RunId, SampleKey } from '../../domain/ids.js';
import { amountOfProbes } from '../../domain/runs/probes.js';
import { amountOfEnd, amountOfReply, isAmountKnown } from '../../domain/runs/spent-amount.js';
import { reportingFailures } from '../failures.js';
import { unlessDamaged, type RunFilesPort } from '../ports/run-files.js';
import {
  noStoredEnds,
  publishBatch,
  samplesInBatches,
  type SampleWithEnd,
  type StoredEnds,
} from './stored-ends.js';

export interface OpenedRun extends StoredEnds {
  /** What its stored replies and ends, and the probes of its models, have cost. */
  readonly spent: Amount;
}

/** Publishes the stored ends of a run, and counts them and their cost for its workflow. */
export function createOpenRun({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: { readonly run: RunId }) => Promise<OpenedRun> {
  return async function openRun({ run }) {
    return reportingFailures(async () => {
      let counted = noStoredEnds;
      let spent = await spentOnProbes(runFiles, run);
      for await (const batch of samplesInBatches(runFiles, run)) {
        counted = await publishBatch(runFiles, run, batch, counted);
        spent = add(spent, await spentOnBatch(runFiles, run, batch));
      }
      return { ...counted, spent };
    });
  };
}

/** What a run has spent according to its probes, stored replies and ends, questions in flight included. */
export function createCountSpent({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: { readonly run: RunId }) => Promise<Amount> {
  return async function countSpent({ run }) {
    return reportingFailures(async () => {
      let spent = await spentOnProbes(runFiles, run);
      for await (const batch of samplesInBatches(runFiles, run)) {
        spent = add(spent, await spentOnBatch(runFiles, run, batch));
      }
      return spent;
    });
  };
}

const spentOnProbes = async (runFiles: RunFilesPort, run: RunId): Promise<Amount> =>
  amountOfProbes((await runFiles.manifest(run)).probes);

async function spentOnBatch(
  runFiles: RunFilesPort,
  run: RunId,
  batch: readonly SampleWithEnd[],
): Promise<Amount> {
  return sum(await Promise.all(batch.map((sample) => spentOn(runFiles, run, sample))));
}

async function spentOn(
  runFiles: RunFilesPort,
  run: RunId,
  { sample, end }: SampleWithEnd,
): Promise<Amount> {
  const before = sum((await runFiles.earlierReplies(run, sample)).map(amountOfReply));
  if (end === null) return add(before, await spentOnReplies(runFiles, run, sample));
  if (isAmountKnown(end)) return add(before, amountOfEnd(end));
  // Only the end holds the cost of tools.
  return add(before, max(amountOfEnd(end), await spentOnReplies(runFiles, run, sample)));
}

async function spentOnReplies(runFiles: RunFilesPort, run: RunId, key: SampleKey): Promise<Amount> {
  const judged = await runFiles.judgeReplies(run, key);
  const turns = await runFiles.repliedTurns(run, key);
  // A damaged reply ends its question, and must not keep the others from going on. What it has cost is lost with it.
  const replies = await Promise.all(
    turns.map((turn) => unlessDamaged(() => runFiles.reply(run, key, turn))),
  );
  return sum([...judged, ...replies.filter((reply) => reply !== null)].map(amountOfReply));
}
