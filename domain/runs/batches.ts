import { v5 as uuid5 } from 'uuid';
import { z } from 'zod';
import {
  amountSchema,
  noAmount,
  sum,
  billsSchema,
  callSizeSchema,
  noBills,
  type Amount,
  type Bills,
} from '../budget/amount.js';
import type { Batched } from '../budget/ledger.js';
import { groupBy } from '../statistics/means.js';
import { sampleKeySchema, sampleName, type RunId, type SampleKey } from '../ids.js';
import { modelApis, type ModelApi } from '../model-api.js';
import type { Deferral } from './question-ref.js';

/** A job about stored answers or papers. */
export interface JobOwner {
  /** For its files, in the storage of the runs. */
  readonly folder: string;
  readonly modelAttempts: number;
  /** Of all its calls, in its present workflow: what was answered with a failure in an earlier one is asked again. */
  readonly asking: number;
}

/** Whose calls a batch has: a run's, or those of a job. */
export type BatchOwner = { readonly run: RunId } | JobOwner;

/** A call of a question. What it costs is paid once in all askings that have the same turns. */
export interface BatchedCall extends SampleKey {
  readonly owner: BatchOwner;
  readonly asking: number;
  /** One of the question's, such as `turn 3`. */
  readonly call: string;
}

/** Where a call goes. All calls of a batch go to one address. */
const addressSchema = z.object({
  api: z.enum(modelApis),
  baseUrl: z.string(),
  model: z.string(),
  /** Of a call that is sent alone, behind `baseUrl`. */
  path: z.string(),
});
export type BatchAddress = Readonly<z.infer<typeof addressSchema>>;

const callSchema = sampleKeySchema.extend({
  asking: z.int().min(1),
  /** A hash of the call and of what is sent. */
  id: z.string(),
  size: callSizeSchema,
  /** The highest possible cost. */
  need: amountSchema,
  /** Answers that were failures which may end by themselves. */
  failed: z.int().nonnegative(),
});

/** The call that a question, or the job of a call, waits for. It makes one at a time. */
export const waitingCallSchema = callSchema.extend({
  address: addressSchema,
  /** As it would be sent alone. */
  body: z.record(z.string(), z.json()),
  /** The number of its batch. Null before it is collected. */
  batch: z.int().nullable(),
});
export type WaitingCall = Readonly<z.infer<typeof waitingCallSchema>>;

/** What the API answers, as it would to a call that is sent alone. */
export const batchedAnswerSchema = z.object({ status: z.int(), body: z.json() });
export type BatchedAnswer = Readonly<z.infer<typeof batchedAnswerSchema>>;

/** The name of a failure. A reply, whose name is the id of its call, counts in later askings, too. */
export const failureName = ({ id, asking }: Pick<WaitingCall, 'id' | 'asking'>): string =>
  `${id}-${asking}`;

/** A batch of a run. */
export const batchSchema = z.object({
  number: z.int().min(1),
  /** No other batch has it. */
  name: z.string(),
  address: addressSchema,
  /** None when it has ended. */
  calls: z.array(callSchema),
  /** When its submission began, which may have succeeded unnoticed: milliseconds since 1970. Null before. */
  begunAtMs: z.number().nullable(),
  /** The provider's file of its requests. */
  file: z.string().optional(),
  /** At the provider. Null until it is known. */
  id: z.string().nullable(),
  isCancelled: z.boolean(),
  hasEnded: z.boolean(),
  /** By the calls that were answered, and what was billed for them. */
  spent: amountSchema,
  bills: billsSchema,
  /** What the provider takes of an account at once, where it has refused the batch for that. */
  mostTokens: z.number().optional(),
});
export type Batch = Readonly<z.infer<typeof batchSchema>>;
export type SubmittedBatch = Batch & { readonly id: string };

export const batchesFolder = 'batches';
export const batchFile = (number: number): string => `${batchesFolder}/${number}.json`;
export const isBatchFile = (name: string): boolean => /^\d+\.json$/.test(name);
export const waitingCallFile = (key: SampleKey): string =>
  `${batchesFolder}/waiting/${sampleName(key)}.json`;

/** Below what the providers take. They also take more calls than a run has in flight. */
const mostBytes: Readonly<Record<ModelApi, number>> = {
  ...{ chat: 100e6, responses: 100e6 },
  ...{ anthropic: 100e6, gemini: 15e6 },
};

/**
 * Batches of calls, with numbers from `first` on.
 * @param earlier - those of the run, which have found the limits of their accounts
 * @param seed - no other collection has the same
 */
export function batchesOf(
  calls: readonly WaitingCall[],
  { first, earlier, seed }: { first: number; earlier: readonly Batch[]; seed: readonly unknown[] },
): readonly Batch[] {
  const groups = [...groupBy(calls, addressText).values()].flatMap((group) => {
    const limits = earlier.filter((batch) => addressText(batch) === addressText(group[0]));
    const mostTokens = Math.min(...limits.map((batch) => batch.mostTokens ?? Infinity));
    const parts: WaitingCall[][] = [];
    let [bytes, tokens] = [Infinity, 0];
    for (const call of group) {
      // Letters may have three bytes.
      const size = 3 * JSON.stringify(call.body).length;
      [bytes, tokens] = [bytes + size, tokens + call.need.tokens];
      if (bytes > mostBytes[call.address.api] || tokens > mostTokens) {
        parts.push([]);
        [bytes, tokens] = [size, call.need.tokens];
      }
      parts.at(-1)?.push(call);
    }
    return parts;
  });
  return groups.map((group, index) => ({
    number: first + index,
    name: `turnwise-${uuid5(JSON.stringify([seed, index, group.map(({ id }) => id)]), uuid5.DNS)}`,
    // Each group has a call.
    address: (group[0] as WaitingCall).address,
    calls: group.map((call) => callSchema.parse(call)),
    ...{ begunAtMs: null, id: null, isCancelled: false, hasEnded: false },
    ...{ spent: noAmount, bills: noBills },
  }));
}

const addressText = (of: Pick<Batch, 'address'> | undefined): string => JSON.stringify(of?.address);

/** The name of a call in its batch: at most 64 letters, digits and hyphens. */
export const entryName = ({ name }: Batch, place: number): string => `${name}-${place}`;

/** Undefined for a name that is not of the batch. */
export const placeOfEntry = ({ name }: Batch, entry: string | undefined): number | undefined =>
  entry?.startsWith(`${name}-`) ? Number(entry.slice(name.length + 1)) : undefined;

/** How far a batch is. */
export interface BatchProgress {
  readonly number: number;
  /** The highest possible cost of its calls. */
  readonly held: Amount;
  /** Null while it is open. */
  readonly spent: Amount | null;
  readonly bills: Bills;
  /** What its questions wait for: the batch, or that it can go on. */
  readonly waits: Pick<Deferral, 'reason' | 'message' | 'retryAfterMs' | 'failure'>;
}

/** @param trouble - why it cannot go on now. @defaultValue nothing */
export function batchProgress(batch: Batch, trouble?: BatchProgress['waits']): BatchProgress {
  const { number, calls, hasEnded, begunAtMs, id, spent, bills } = batch;
  const sent = id === null ? 'is being sent' : `sent ${new Date(begunAtMs ?? 0).toISOString()}`;
  const message = `batch ${number} of ${calls.length} calls, ${sent}: answers may take a day`;
  return {
    number,
    held: sum(calls.map(({ need }) => need)),
    spent: hasEnded ? spent : null,
    bills,
    waits: trouble ?? { reason: 'batch', message, retryAfterMs: null },
  };
}

/** What all batches of a run come to. */
export const batchesSoFar = (batches: readonly Batch[]): Batched => ({
  last: Math.max(0, ...batches.map(({ number }) => number)),
  spent: sum(batches.map(({ hasEnded, spent }) => (hasEnded ? spent : noAmount))),
  open: batches
    .filter(({ hasEnded }) => !hasEnded)
    .map(({ number, calls }) => ({ number, held: sum(calls.map(({ need }) => need)) })),
});
