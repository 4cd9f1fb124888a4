import { noAmount, sum, addBill, type Amount } from '../../domain/budget/amount.js';
import { isRetryable, type FailureType } from '../../domain/failure-type.js';
import type { RunId, SampleKey } from '../../domain/ids.js';
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
  type BatchProgress,
  type SubmittedBatch,
  type WaitingCall,
} from '../../domain/runs/batches.js';
import { activity } from '../failures.js';
import type { ClockPort } from '../ports/clock.js';
import type { BatchesPort, BatchResult } from '../ports/model.js';
import { PortFailure } from '../ports/port-failure.js';
import type { RunFilesPort } from '../ports/run-files.js';

export interface BatchPorts {
  readonly batches: BatchesPort;
  readonly clock: ClockPort;
  readonly runFiles: RunFilesPort;
}

export interface CollectCallsInput {
  readonly run: RunId;
  readonly keys: readonly SampleKey[];
  /** Of the first batch. */
  readonly number: number;
}

export interface CollectedBatch extends Pick<BatchProgress, 'number' | 'held'> {
  readonly keys: readonly SampleKey[];
}

/** Makes batches of the calls that questions wait for, and submits none. */
export function createCollectCalls({
  runFiles,
}: Pick<BatchPorts, 'runFiles'>): (
  input: CollectCallsInput,
) => Promise<{ readonly batches: readonly CollectedBatch[] }> {
  return activity(async ({ run, keys, number }) => {
    const { startedAt } = await runFiles.manifest(run);
    const earlier = await storedBatches(runFiles, run);
    const found = await Promise.all(keys.map((key) => waitingCall(runFiles, run, key)));
    // Those that an earlier attempt has taken are taken again.
    const calls = found.flatMap((call) => (call && (call.batch ?? number) >= number ? call : []));
    const callOf = new Map(calls.map((call) => [call.id, call]));
    const seed = [run, startedAt, number];
    const batches: CollectedBatch[] = [];
    for (const made of batchesOf(calls, { first: number, earlier, seed })) {
      // Whoever comes late must not undo what has become of it.
      const known = earlier.find((batch) => batch.number === made.number);
      const batch = known ?? made;
      const own = batch.calls.flatMap(({ id }) => callOf.get(id) ?? []);
      await Promise.all(
        own.map((call) => keepCall(runFiles, run, { ...call, batch: made.number })),
      );
      if (!known) await keepBatch(runFiles, run, batch);
      const { held } = batchProgress(batch);
      const asked = batch.calls.map(({ uuid, epoch }) => ({ uuid, epoch }));
      batches.push({ number: made.number, held, keys: asked });
    }
    return { batches };
  });
}

export interface AdvanceBatchInput {
  readonly run: RunId;
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
  clock,
}: BatchPorts): (input: AdvanceBatchInput) => Promise<BatchProgress> {
  return activity(async ({ run, number, instead }, { signal }) => {
    const stored = await runFiles.json(run, batchFile(number), batchSchema);
    if (stored === null)
      throw new PortFailure('InvalidRun', `run ${run} has no batch ${number}: its file is missing`);
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
      await keepBatch(runFiles, run, batch);
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
      const calls = await Promise.all(batch.calls.map((call) => waitingCall(runFiles, run, call)));
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
      const { modelAttempts } = (await runFiles.manifest(run)).config;
      const spent: Amount[] = [];
      let { bills } = batch;
      for (let from = 0; from < batch.calls.length; from += atOnce) {
        const some = batch.calls.slice(from, from + atOnce).map(async (call, at) => {
          const result = resultAt(from + at);
          const mayEnd = result?.failure != null && isRetryable(result.failure);
          const isAnswered = result !== undefined && !(mayEnd && call.failed + 1 < modelAttempts);
          if (isAnswered) await keepAnswer(call, result);
          const waiting = await waitingCall(runFiles, run, call);
          if (waiting?.id === call.id && waiting.batch === number) {
            const failed = call.failed + (result === undefined ? 0 : 1);
            if (isAnswered) await runFiles.removeText(run, waitingCallFile(call));
            else await keepCall(runFiles, run, { ...waiting, failed, batch: null });
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
      await runFiles.saveBatchedAnswer(run, call, name, { status, body });
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

const isOfProvider = (type: FailureType): boolean => type.startsWith('Model');

function waitsOf({ type, message, options }: PortFailure): BatchProgress['waits'] {
  const reasons = { ModelRateLimited: 'rate-limit', ModelQuotaSpent: 'quota' } as const;
  const reason = type in reasons ? reasons[type as keyof typeof reasons] : 'outage';
  return { reason, message, failure: type, retryAfterMs: options.retryAfterMs ?? null };
}

const waitingCall = (
  runFiles: RunFilesPort,
  run: RunId,
  key: SampleKey,
): Promise<WaitingCall | null> => runFiles.json(run, waitingCallFile(key), waitingCallSchema);

const keepCall = (runFiles: RunFilesPort, run: RunId, call: WaitingCall): Promise<void> =>
  runFiles.saveText(run, waitingCallFile(call), JSON.stringify(call));

const keepBatch = (runFiles: RunFilesPort, run: RunId, batch: Batch): Promise<void> =>
  runFiles.saveText(run, batchFile(batch.number), JSON.stringify(batch));

export async function storedBatches(runFiles: RunFilesPort, run: RunId): Promise<readonly Batch[]> {
  const names = (await runFiles.names(run, batchesFolder)).filter(isBatchFile);
  const stored = names.map((name) => runFiles.json(run, `${batchesFolder}/${name}`, batchSchema));
  return (await Promise.all(stored)).flatMap((batch) => batch ?? []);
}
