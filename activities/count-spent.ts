import { add, nothing, sum, type Amount } from '../domain/budget/amount.js';
import { amountOfEnd, amountOfReply } from '../domain/budget/spent-amount.js';
import type { RunId } from '../domain/ids.js';
import { reportingFailures } from './failures.js';
import type { RunFilesPort } from './ports/run-files.js';
import { samplesInBatches, type SampleWithEnd } from './stored-ends.js';

/** What a run has spent, from the replies and ends it has stored: also those of questions that are under way. */
export function createCountSpent({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: { readonly run: RunId }) => Promise<Amount> {
  return async function countSpent({ run }) {
    return reportingFailures(async () => {
      let spent = nothing;
      for await (const batch of samplesInBatches(runFiles, run)) {
        spent = add(spent, await spentOnBatch(runFiles, run, batch));
      }
      return spent;
    });
  };
}

export async function spentOnBatch(
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
  if (end) return add(before, amountOfEnd(end));
  const judged = await runFiles.judgeReplies(run, sample);
  let spent = add(before, sum(judged.map(amountOfReply)));
  for (let turn = 1; ; turn += 1) {
    const reply = await runFiles.reply(run, sample, turn);
    if (reply === null) return spent;
    spent = add(spent, amountOfReply(reply));
  }
}
