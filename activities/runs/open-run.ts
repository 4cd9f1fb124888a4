import type { z } from 'zod';
import { add, amountSchema, max, noAmount, sum, type Amount } from '../../domain/budget/amount.js';
import type { RunId, SampleKey } from '../../domain/ids.js';
import { amountOfEnd, amountOfReply, isAmountKnown } from '../../domain/runs/spent-amount.js';
import { reportingFailures } from '../failures.js';
import { unlessDamaged, type RunFilesPort } from '../ports/run-files.js';
import {
  countSamples,
  foldSamples,
  keepNothing,
  noStoredEnds,
  publishBatch,
  storedEndsSchema,
  type KeepDetails,
  type SampleWithEnd,
} from './stored-ends.js';

const openedRunSchema = storedEndsSchema.extend({
  /** What its stored replies and ends have cost. */
  spent: amountSchema,
});
export type OpenedRun = Readonly<z.infer<typeof openedRunSchema>>;

interface OpenRunPorts {
  readonly runFiles: RunFilesPort;
}

/** Publishes the stored ends of a run, and counts them and their cost for its workflow. */
export function createOpenRun({
  runFiles,
}: OpenRunPorts): (input: { readonly run: RunId }, keep?: KeepDetails) => Promise<OpenedRun> {
  return async function openRun({ run }, keep = keepNothing) {
    return reportingFailures(async () => {
      const first = { ...noStoredEnds, spent: noAmount };
      const { size } = await runFiles.begun(run);
      // A new run of a million questions starts at once.
      if (size === 0) return { ...first, samples: await countSamples(runFiles, run) };
      return foldSamples({
        runFiles,
        run,
        keep,
        schema: openedRunSchema,
        first,
        step: async ({ spent, ...counted }, batch) => ({
          ...(await publishBatch(runFiles, run, batch, counted)),
          spent: add(spent, await spentOnBatch(runFiles, run, batch)),
        }),
      });
    });
  };
}

/** What a run has spent according to its stored replies and ends, questions in flight included. */
export function createCountSpent({
  runFiles,
}: OpenRunPorts): (input: { readonly run: RunId }, keep?: KeepDetails) => Promise<Amount> {
  return async function countSpent({ run }, keep = keepNothing) {
    return reportingFailures(() =>
      foldSamples({
        runFiles,
        run,
        keep,
        schema: amountSchema,
        first: noAmount,
        step: async (spent, batch) => add(spent, await spentOnBatch(runFiles, run, batch)),
      }),
    );
  };
}

async function spentOnBatch(
  runFiles: RunFilesPort,
  run: RunId,
  batch: readonly SampleWithEnd[],
): Promise<Amount> {
  const begun = batch.filter(({ isBegun }) => isBegun);
  return sum(await Promise.all(begun.map((sample) => spentOn(runFiles, run, sample))));
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
