import type { z } from 'zod';
import {
  add,
  amountSchema,
  max,
  noAmount,
  sum,
  billsSchema,
  noBills,
  type Amount,
  type Bills,
} from '../../domain/budget/amount.js';
import type { RunId, SampleKey } from '../../domain/ids.js';
import { methodNeeds, methodOf } from '../../domain/agent/methods.js';
import type { PaidCall, ReplyRecord } from '../../domain/agent/turn-record.js';
import type { Batched } from '../../domain/budget/ledger.js';
import { batchesSoFar } from '../../domain/runs/batches.js';
import { amountOfProbes } from '../../domain/runs/probes.js';
import {
  amountOfEnd,
  amountOfReply,
  amountOfTool,
  isAmountKnown,
} from '../../domain/runs/spent-amount.js';
import { billsFile } from '../../domain/runs/run-manifest.js';
import { batchPauseOf, type Tuning } from '../../domain/runs/run-config.js';
import { activity } from '../failures.js';
import { unlessDamaged, type RunFilesPort } from '../ports/run-files.js';
import type { WebhookPort } from '../ports/webhook.js';
import { countSamples } from '../questions/run-samples.js';
import { storedBatches } from './batches.js';
import {
  foldSamples,
  noStoredEnds,
  publishBatch,
  storedEndsSchema,
  type SampleWithEnd,
} from './stored-ends.js';

const countedRunSchema = storedEndsSchema.extend({
  /** What its stored replies and ends, and the probes of its models, have cost. */
  spent: amountSchema,
});

interface OpenedRun extends Readonly<z.infer<typeof countedRunSchema>> {
  /** Absent for a run that sends its calls at once. */
  readonly batched?: Batched;
  /** What an earlier workflow of the run has seen billed. */
  readonly bills: Bills;
  /** As they were tuned last. */
  readonly limits: Tuning;
  /** Whether there is one to be told what the run does. Absent where there is none. */
  readonly hasWebhook?: true;
}

interface OpenRunPorts {
  readonly runFiles: RunFilesPort;
  /** @defaultValue none */
  readonly webhook?: WebhookPort | null;
}

/** Publishes the stored ends of a run, and counts them and their cost for its workflow. */
export function createOpenRun({
  runFiles,
  webhook,
}: OpenRunPorts): (input: { readonly run: RunId }) => Promise<OpenedRun> {
  return activity(async ({ run }, { keep }) => {
    const kept = await unlessDamaged(() => runFiles.json(run, billsFile, billsSchema));
    const bills = kept ?? noBills;
    const { config } = await runFiles.manifest(run);
    const { concurrency, budget, deadline } = config;
    const batched = batchPauseOf(config) !== null && {
      batched: batchesSoFar(
        await storedBatches({
          json: (...of) => runFiles.json(run, ...of),
          names: (folder) => runFiles.names(run, folder),
        }),
      ),
    };
    const limits = { concurrency, budgetUsd: budget.usd, budgetTokens: budget.tokens, deadline };
    const known = { bills, limits, ...batched, ...(webhook && { hasWebhook: true as const }) };
    const first = { ...noStoredEnds, spent: await spentOnProbes(runFiles, run) };
    const { size } = await runFiles.begun(run);
    // A new run of a million questions starts at once.
    if (size === 0) return { ...first, samples: await countSamples(runFiles, run), ...known };
    const counted = await foldSamples({
      runFiles,
      run,
      keep,
      schema: countedRunSchema,
      first,
      step: async ({ spent, ...ends }, batch) => ({
        ...(await publishBatch(runFiles, run, batch, ends)),
        spent: add(spent, await spentOnBatch(runFiles, run, batch)),
      }),
    });
    return { ...counted, ...known };
  });
}

/** Keeps what models have billed, for a later workflow of the run. */
export function createKeepBills({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: { readonly run: RunId; readonly bills: Bills }) => Promise<void> {
  return activity(({ run, bills }) => runFiles.saveText(run, billsFile, JSON.stringify(bills)));
}

/** What a run has spent according to its probes, stored replies and ends, questions in flight included. */
export function createCountSpent({
  runFiles,
}: OpenRunPorts): (input: { readonly run: RunId }) => Promise<Amount> {
  return activity(async ({ run }, { keep }) =>
    foldSamples({
      runFiles,
      run,
      keep,
      schema: amountSchema,
      first: await spentOnProbes(runFiles, run),
      step: async (spent, batch) => add(spent, await spentOnBatch(runFiles, run, batch)),
    }),
  );
}

const spentOnProbes = async (runFiles: RunFilesPort, run: RunId): Promise<Amount> =>
  amountOfProbes((await runFiles.manifest(run)).probes);

/** The only tool that costs money. */
const queriesGraph = ({ reading }: ReplyRecord): boolean =>
  reading.kind === 'action' && reading.action.kind === 'QueryGraph';

async function spentOnBatch(
  runFiles: RunFilesPort,
  run: RunId,
  batch: readonly SampleWithEnd[],
): Promise<Amount> {
  const begun = batch.filter(({ isBegun }) => isBegun);
  const { config } = await runFiles.manifest(run);
  const mayHideCosts = config.model.price !== null || methodNeeds(methodOf(config)).graph;
  const isBatched = batchPauseOf(config) !== null;
  const amounts = begun.map((sample) =>
    spentOn(runFiles, run, sample, { mayHideCosts, isBatched }),
  );
  return sum(await Promise.all(amounts));
}

async function spentOn(
  runFiles: RunFilesPort,
  run: RunId,
  { sample, end }: SampleWithEnd,
  { mayHideCosts, isBatched }: { readonly mayHideCosts: boolean; readonly isBatched: boolean },
): Promise<Amount> {
  const before = sum([
    ...(await runFiles.earlierReplies(run, sample)).map(amountAtOnce),
    ...(await runFiles.earlierFacts(run, sample)).map(amountOfTool),
  ]);
  if (!isBatched && end !== null && isAmountKnown(end, mayHideCosts))
    return add(before, amountOfEnd(end));
  const onTurns = await spentOnTurns(runFiles, run, sample);
  // The end has also what batches have cost.
  if (isBatched) return add(before, onTurns);
  return add(before, end === null ? onTurns : max(amountOfEnd(end), onTurns));
}

/** What batches have cost is in their files. */
const amountAtOnce = (
  reply: Parameters<typeof amountOfReply>[0] & Pick<PaidCall, 'batched'>,
): Amount => (reply.batched ? noAmount : amountOfReply(reply));

async function spentOnTurns(runFiles: RunFilesPort, run: RunId, key: SampleKey): Promise<Amount> {
  const judged = await runFiles.judgeReplies(run, key);
  const turns = await runFiles.repliedTurns(run, key);
  // A damaged reply ends its question, and must not keep the others from going on. What it has cost is lost with it.
  const replies = await Promise.all(
    turns.map((turn) => unlessDamaged(() => runFiles.reply(run, key, turn))),
  );
  const paid = replies.filter((reply) => reply !== null);
  const observations = await Promise.all(
    paid.filter(queriesGraph).map(({ turn }) => runFiles.observation(run, key, turn)),
  );
  return sum([
    ...[...judged, ...paid].map(amountAtOnce),
    ...observations.map((observation) => amountOfTool(observation?.facts)),
  ]);
}
