import {
  add,
  capAsAmount,
  covers,
  noBills,
  worstCase,
  type Amount,
} from '../../domain/budget/amount.js';
import { sizeOf } from '../../domain/budget/call-size.js';
import { isRetryable } from '../../domain/failure-type.js';
import type { RunId } from '../../domain/ids.js';
import type { CallAttempts } from '../../domain/models/call-attempts.js';
import { costOfCall } from '../../domain/models/usage.js';
import { probedModels, probeRequest, type ProbeRequest } from '../../domain/runs/probe-requests.js';
import type { ProbeOutcome, Probes } from '../../domain/runs/probes.js';
import type { Deferral } from '../../domain/runs/question-ref.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import type { ClockPort } from '../ports/clock.js';
import type { BatchesPort, ModelPort, ModelReply } from '../ports/model.js';
import { PortFailure } from '../ports/port-failure.js';
import type { RunFilesPort } from '../ports/run-files.js';
import { attemptCall, paidActivity, type CallAttempt } from '../questions/call-attempt.js';

export interface ProbeModelInput {
  readonly run: RunId;
  /** The index of the model among those of its run. */
  readonly model: number;
  /** What the run has spent. Absent where it has no budget. */
  readonly spent?: Amount;
}

/** One small call that shows whether a model of a run can be asked. What another attempt could mend fails the activity. */
export function createProbeModel({
  model: modelPort,
  runFiles,
  clock,
  batches,
}: {
  readonly batches: BatchesPort;
  readonly model: ModelPort;
  readonly runFiles: RunFilesPort;
  readonly clock: ClockPort;
}): (input: ProbeModelInput, before?: CallAttempts) => Promise<ProbeOutcome> {
  return paidActivity(async (input, before) => {
    const manifest = await runFiles.manifest(input.run);
    const made = await attemptCall<never, ProbeOutcome>({
      before,
      // The outcome is stored in the history alone, so nothing is sent after it.
      parse: () => undefined,
      save: (outcome) => Promise.resolve(outcome),
      prepare: (attempt) => probe(input, manifest, attempt),
    });
    return made.kind === 'deferred' ? outcomeOfDeferral(made, nameOf(input, manifest)) : made;
  });

  async function probe(
    input: ProbeModelInput,
    { config }: RunManifest,
    attempt: CallAttempt,
  ): Promise<ProbeOutcome> {
    const probed = probedModels(config)[input.model];
    if (probed === undefined)
      throw new PortFailure('InvalidRun', `run ${input.run} has no model ${input.model} to probe`);
    const left = { cap: capAsAmount(config.budget), spent: input.spent };
    const brief = probeRequest(probed);
    const outcome = await ask(brief, left, attempt, probed.batch !== undefined);
    // Some models refuse a limit that leaves them no room to reason.
    const mayBeTooBrief =
      outcome.kind === 'failed' &&
      outcome.failure === 'ModelRejectedRequest' &&
      probed.maxTokens > brief.maxTokens;
    return mayBeTooBrief ? ask(probeRequest(probed, probed.maxTokens), left, attempt) : outcome;
  }

  async function ask(
    request: ProbeRequest,
    { cap, spent }: { readonly cap: Amount; readonly spent: Amount | undefined },
    attempt: CallAttempt,
    isBatched = false,
  ): Promise<ProbeOutcome> {
    const { model } = request;
    if (spent && !covers(cap, add(spent, worstCase(sizeOf(request), noBills)))) {
      const message = "the run's budget leaves less than the call may cost.";
      return { kind: 'postponed', model, message };
    }
    const startedAt = clock.now();
    try {
      if (isBatched) await batches.check(request, attempt.signal);
      const reply = await modelPort.complete(
        { ...request, isProbe: true },
        attempt.signal,
        attempt.report,
      );
      const ms = Date.parse(clock.now()) - Date.parse(startedAt);
      return { kind: 'answered', model, spent: spentOn(request, reply), ms };
    } catch (error) {
      const outcome = error instanceof PortFailure ? outcomeOfFailure(error, request) : null;
      if (outcome === null) throw error;
      return outcome;
    }
  }
}

const nameOf = ({ model }: ProbeModelInput, { config }: RunManifest): string =>
  probedModels(config)[model]?.name ?? '';

/** A reply whose usage is unknown counts with the highest possible cost. */
function spentOn(request: ProbeRequest, { tokens }: Pick<ModelReply, 'tokens'>): Probes {
  const { maxTokens, price } = request;
  const { prompt, completion, cached } = tokens ?? {
    prompt: worstCase(sizeOf(request), noBills).tokens - maxTokens,
    completion: maxTokens,
    cached: 0,
  };
  return {
    calls: 1,
    promptTokens: prompt,
    completionTokens: completion,
    costUsd: costOfCall({ prompt, completion, cached }, price),
  };
}

/** Null where another attempt may succeed, and for a call that was not made. */
function outcomeOfFailure(
  { type, message, options }: PortFailure,
  request: ProbeRequest,
): ProbeOutcome | null {
  const { model } = request;
  const isEmptyReply = type === 'ModelRepliedNonsense' && options.mayBePaid === true;
  if (isEmptyReply || type === 'ContextOverflow')
    return { kind: 'unusable', model, spent: spentOn(request, { tokens: null }), message };
  if (isRetryable(type)) return null;
  const keyMissing = options.keyMissing === true;
  return { kind: 'failed', model, failure: type, message, ...(keyMissing && { keyMissing }) };
}

const outcomeOfDeferral = ({ reason, message }: Deferral, model: string): ProbeOutcome =>
  reason === 'quota'
    ? { kind: 'failed', model, failure: 'ModelQuotaSpent', message }
    : { kind: 'postponed', model, message };
