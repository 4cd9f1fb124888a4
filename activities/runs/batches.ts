import { noAmount, sum, type Amount, addBill } from '../../domain/budget/amount.js';
import { isOfProvider, isRetryable } from '../../domain/failure-type.js';
import type { SampleKey } from '../../domain/ids.js';
import { costOfCall } from '../../domain/models/usage.js';
import {
  batchesFolder,
  batchesOf,
  batchFile,
  batchProgress,
  batchSchema,
  failureName,
  isBatchFile,
  waitingCallFile,
  waitingCallSchema,
  type Batch,
  type BatchOwner,
  type BatchProgress,
  type SubmittedBatch,
  type WaitingCall,
} from '../../domain/runs/batches.js';
import { activity } from '../failures.js';
import type { ClockPort } from '../ports/clock.js';
import type { BatchesPort, BatchResult } from '../ports/model.js';
import { PortFailure } from '../ports/port-failure.js';
import type { BatchFiles, BatchFilesPort, RunFilesPort } from '../ports/run-files.js';

interface BatchPorts {
  readonly batches: BatchesPort;
  readonly batchFiles: BatchFilesPort;
  readonly clock: ClockPort;
  readonly runFiles: Pick<RunFilesPort, 'manifest'>;
}

interface CollectCallsInput {
  readonly owner: BatchOwner;
  readonly keys: readonly SampleKey[];
  /** Of the first batch. @defaultValue the one after those that are stored */
  readonly number?: number;
  /** No other collection has it. */
  readonly seed: string;
}

interface CollectedBatch extends Pick<BatchProgress, 'number' | 'held'> {
  readonly keys: readonly SampleKey[];
}

/** Makes batches of the calls that questions wait for, and submits none. */
export function createCollectCalls({
  batchFiles,
}: Pick<BatchPorts, 'batchFiles'>): (
  input: CollectCallsInput,
) => Promise<{ readonly batches: readonly CollectedBatch[] }> {
  return activity(async ({ owner, keys, number, seed }) => {
    const files = batchFiles(owner);
    const earlier = await storedBatches(files);
    const first = number ?? 1 + Math.max(0, ...earlier.map((batch) => batch.number));
    const found: (WaitingCall | null)[] = [];
    for (let from = 0; from < keys.length; from += atOnce) {
      const some = keys.slice(from, from + atOnce);
      found.push(...(await Promise.all(some.map((key) => waitingCall(files, key)))));
    }
    // Those that an earlier attempt has taken are taken again.
    const calls = found.flatMap((call) => (call && (call.batch ?? first) >= first ? call : []));
    const callOf = new Map(calls.map((call) => [call.id, call]));
    const batches: CollectedBatch[] = [];
    for (const made of batchesOf(calls, { first, earlier, seed: [owner, seed, first] })) {
      // Whoever comes late must not undo what has become of it.
      const known = earlier.find((batch) => batch.number === made.number);
      const batch = known ?? made;
      const own = batch.calls.flatMap(({ id }) => callOf.get(id) ?? []);
      await Promise.all(own.map((call) => keepCall(files, { ...call, batch: made.number })));
      if (!known) await keepBatch(files, batch);
      const { held } = batchProgress(batch);
      const asked = batch.calls.map(({ uuid, epoch }) => ({ uuid, epoch }));
      batches.push({ number: made.number, held, keys: asked });
    }
    return { batches };
  });
}

interface AdvanceBatchInput {
  readonly owner: BatchOwner;
  readonly number: number;
  /** `hold`: it is not submitted. `cancel`: it is ended. @defaultValue go on */
  readonly instead?: 'hold' | 'cancel';
}

/**
 * Submits a batch, or looks whether it has ended: then its answers are stored, and its other calls may be collected again. It
 * can be repeated at any time. A batch is submitted once, and what it has cost counts once.
 */
export function createAdvanceBatch({
  runFiles,
  batches,
  batchFiles,
  clock,
}: BatchPorts): (input: AdvanceBatchInput) => Promise<BatchProgress> {
  return activity(async ({ owner, number, instead }, { signal }) => {
    const files = batchFiles(owner);
    const stored = await files.json(batchFile(number), batchSchema);
    if (stored === null)
      throw new PortFailure('InvalidRun', `there is no batch ${number}: its file is missing`);
    let batch = stored;
    try {
      const waits = batch.hasEnded ? undefined : await advance();
      return batchProgress(batch, waits);
    } catch (error) {
      if (!(error instanceof PortFailure) || !isOfProvider(error.type)) throw error;
      return batchProgress(batch, waitsOf(error));
    }

    async function keep(changes: Partial<Batch>): Promise<void> {
      batch = { ...batch, ...changes };
      await keepBatch(files, batch);
    }

    async function advance(): Promise<BatchProgress['waits'] | undefined> {
      if (batch.id === null && batch.begunAtMs !== null) {
        const { id, isUndecided } = await batches.find(batch, signal);
        if (isUndecided) return lostSubmission(batch);
        await keep(id === null ? { begunAtMs: null } : { id });
      }
      const { id } = batch;
      if (id !== null) await look({ ...batch, id });
      else if (instead === 'cancel') await end(() => undefined);
      else if (instead !== 'hold') await submit();
      return undefined;
    }

    async function submit(): Promise<void> {
      const calls = await Promise.all(batch.calls.map((call) => waitingCall(files, call)));
      // Who was asked anew waits for another call.
      const own = calls.flatMap((call, at) =>
        call?.id === batch.calls[at]?.id ? (call ?? []) : [],
      );
      const kept = new Set(own.map(({ id }) => id));
      const begunAtMs = Date.parse(clock.now());
      await keep({ begunAtMs, calls: batch.calls.filter(({ id }) => kept.has(id)) });
      if (own.length === 0) return end(() => undefined);
      const bodies = own.map(({ body }) => body);
      await keep({ id: await batches.submit(batch, bodies, (file) => keep({ file }), signal) });
    }

    async function look(submitted: SubmittedBatch): Promise<void> {
      const state = await batches.poll(submitted, signal);
      if (state.kind === 'ended') return end((at) => state.results.get(at));
      if (state.kind === 'open') {
        if (instead !== 'cancel' || batch.isCancelled) return;
        await batches.cancel(submitted, signal);
        return keep({ isCancelled: true });
      }
      const { result, mostTokens } = state;
      const tokens = sum(batch.calls.map(({ need }) => need)).tokens;
      const isTooLarge = mostTokens !== null && tokens > mostTokens && batch.calls.length > 1;
      if (isTooLarge) {
        await keep({ mostTokens });
        return end(() => undefined);
      }
      if (result.failure === null || !isRetryable(result.failure)) return end(() => result);
      await keep({ id: null, begunAtMs: null, file: undefined });
      const message = `batch ${number} is refused for now (${result.status}): it is sent again later`;
      throw new PortFailure(result.failure, message);
    }

    async function end(resultAt: (at: number) => BatchResult | undefined): Promise<void> {
      const { modelAttempts } =
        'run' in owner ? (await runFiles.manifest(owner.run)).config : owner;
      const spent: Amount[] = [];
      let { bills } = batch;
      for (let from = 0; from < batch.calls.length; from += atOnce) {
        const some = batch.calls.slice(from, from + atOnce).map(async (call, at) => {
          const result = resultAt(from + at);
          const mayEnd = result?.failure != null && isRetryable(result.failure);
          const isAnswered = result !== undefined && !(mayEnd && call.failed + 1 < modelAttempts);
          if (isAnswered) await keepAnswer(call, result);
          const waiting = await waitingCall(files, call);
          if (waiting?.id === call.id && waiting.batch === number) {
            const failed = call.failed + (result === undefined ? 0 : 1);
            if (isAnswered) await files.removeText(waitingCallFile(call));
            else await keepCall(files, { ...waiting, failed, batch: null });
          }
          const billed = result?.tokens?.prompt;
          if (billed !== undefined) bills = addBill(bills, call.size, billed);
          return amountOf(call, result);
        });
        spent.push(...(await Promise.all(some)));
      }
      // A run has many batches, and its opening reads all.
      await keep({ hasEnded: true, spent: sum(spent), bills, calls: [] });
    }

    async function keepAnswer(call: Call, { status, body, failure }: BatchResult): Promise<void> {
      const name = failure === null ? call.id : failureName(call);
      await files.saveAnswer(call, name, { status, body });
    }
  });
}

type Call = Batch['calls'][number];

/** Files that are open at once. */
const atOnce = 100;

/** What a reply without usage has cost, nobody knows: it counts with the most. */
function amountOf({ size, need }: Call, result: BatchResult | undefined): Amount {
  if (result === undefined || result.failure !== null) return noAmount;
  const { tokens } = result;
  if (tokens === null || size.kind !== 'model') return need;
  return { usd: costOfCall(tokens, size.price) ?? 0, tokens: tokens.prompt + tokens.completion };
}

const lostSubmission = ({ number, calls }: Batch): BatchProgress['waits'] => ({
  reason: 'batch',
  message: `batch ${number}: its worker was lost while it was sent, and the API tells whether it came about when the other batches of ${calls.length} calls have ended`,
  retryAfterMs: null,
});

function waitsOf({ type, message, options }: PortFailure): BatchProgress['waits'] {
  const reasons = { ModelRateLimited: 'rate-limit', ModelQuotaSpent: 'quota' } as const;
  const reason = type in reasons ? reasons[type as keyof typeof reasons] : 'outage';
  return { reason, message, failure: type, retryAfterMs: options.retryAfterMs ?? null };
}

const waitingCall = (files: BatchFiles, key: SampleKey): Promise<WaitingCall | null> =>
  files.json(waitingCallFile(key), waitingCallSchema);

const keepCall = (files: BatchFiles, call: WaitingCall): Promise<void> =>
  files.saveText(waitingCallFile(call), JSON.stringify(call));

const keepBatch = (files: BatchFiles, batch: Batch): Promise<void> =>
  files.saveText(batchFile(batch.number), JSON.stringify(batch));

export async function storedBatches(
  files: Pick<BatchFiles, 'json' | 'names'>,
): Promise<readonly Batch[]> {
  const names = (await files.names(batchesFolder)).filter(isBatchFile);
  const stored = names.map((name) => files.json(`${batchesFolder}/${name}`, batchSchema));
  return (await Promise.all(stored)).flatMap((batch) => batch ?? []);
}
