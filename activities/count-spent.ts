import { add, nothing, sum, type Amount } from '../domain/budget/amount.js';
import type { RunId, SampleKey } from '../domain/ids.js';
import type { EndRecord } from '../domain/questions/end-record.js';
import { samplesOf } from '../domain/questions/samples.js';
import type { ReplyRecord } from '../domain/questions/turn-record.js';
import { noUsage, type Usage } from '../domain/usage.js';
import { reportingFailures } from './failures.js';
import type { RunFilesPort } from './ports/run-files.js';

const batchSize = 100;

/** What a run has spent, from the replies and ends it has stored: also those of questions that are under way. */
export function createCountSpent({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: { readonly run: RunId }) => Promise<Amount> {
  return async function countSpent({ run }) {
    return reportingFailures(() => spentBy(runFiles, run));
  };
}

export async function spentBy(runFiles: RunFilesPort, run: RunId): Promise<Amount> {
  const { config } = await runFiles.manifest(run);
  const judges = config.judging?.models.length ?? 0;
  const samples = samplesOf(await runFiles.items(run), config.epochs);
  let spent = nothing;
  for (let offset = 0; offset < samples.length; offset += batchSize) {
    const batch = samples.slice(offset, offset + batchSize);
    spent = add(
      spent,
      sum(await Promise.all(batch.map((key) => spentOn(runFiles, run, key, judges)))),
    );
  }
  return spent;
}

async function spentOn(
  runFiles: RunFilesPort,
  run: RunId,
  key: SampleKey,
  judges: number,
): Promise<Amount> {
  const before = sum((await runFiles.earlierReplies(run, key)).map(amountOfReply));
  const end = await runFiles.end(run, key);
  if (end) return add(before, amountOfEnd(end));
  let spent = before;
  for (let judge = 0; judge < judges; judge += 1) {
    const replies = await runFiles.judgeReplies(run, key, judge);
    spent = add(spent, sum(replies.map(amountOfReply)));
  }
  for (let turn = 1; ; turn += 1) {
    const reply = await runFiles.reply(run, key, turn);
    if (reply === null) return spent;
    spent = add(spent, amountOfReply(reply));
  }
}

export const amountOfReply = ({
  costUsd,
  tokens,
  cacheHit,
}: Pick<ReplyRecord, 'costUsd' | 'cacheHit'> & {
  readonly tokens: Pick<NonNullable<ReplyRecord['tokens']>, 'prompt' | 'completion'> | null;
}): Amount =>
  cacheHit
    ? nothing
    : { usd: costUsd ?? 0, tokens: (tokens?.prompt ?? 0) + (tokens?.completion ?? 0) };

const amountOfEnd = ({ result: { costUsd, usage }, score }: EndRecord): Amount =>
  add(amountOf(costUsd, usage), amountOf(score.judgeCostUsd ?? null, score.judgeUsage ?? noUsage));

const amountOf = (costUsd: number | null, usage: Usage): Amount => ({
  usd: costUsd ?? 0,
  tokens: usage.promptTokens + usage.completionTokens,
});
