import { Context } from '@temporalio/activity';
import {
  add,
  ceiling,
  covers,
  isCapped,
  sum,
  type Amount,
  type Cap,
} from '../domain/budget/amount.js';
import { amountOfReply } from '../domain/budget/spent-amount.js';
import { worstCase } from '../domain/models/worst-case.js';
import type { BudgetStop, Deferral } from '../domain/questions/deferral.js';
import {
  askedHereAtMost,
  lateHereMs,
  stepMs,
  stepsAtOnce,
  waitsHereMs,
  type LeftToQueue,
} from '../domain/questions/asked-here.js';
import type { CallSoFar } from '../domain/questions/call-so-far.js';
import { keyText } from '../domain/ids.js';
import { turnShortfall } from '../domain/questions/context-shortfall.js';
import { requestMessages } from '../domain/questions/conversation.js';
import { methods } from '../domain/methods/methods.js';
import { asksModel, planTurn, type ModelPlan, type TurnPlan } from '../domain/methods/turn-plan.js';
import { givenTurn, readTurn, type TurnMaterial } from '../domain/questions/read-turn.js';
import { repeatedTurn } from '../domain/questions/repeated-turn.js';
import { isBrisk, summariseReply, type ModelTurn } from '../domain/questions/model-turn.js';
import type { TurnRef } from '../domain/questions/question-ref.js';
import { replyRecordSchema, type ReplyRecord } from '../domain/questions/turn-record.js';
import { storingPatienceMs } from '../domain/questions/storing-patience.js';
import { firstRetryMs } from '../domain/questions/first-retry.js';
import type { RunManifest } from '../domain/runs/run-manifest.js';
import { turnRequest } from '../domain/questions/turn-request.js';
import { firstTurnInWindow } from '../domain/questions/window.js';
import { callModel, type PaidReply } from './call-model.js';
import { tryCall, type CallTry } from './call-try.js';
import { isPassing, reportingFailures } from './failures.js';
import { recordedReply } from './recorded-reply.js';
import { reserveFor } from './reserve-for.js';
import { briefingOf, finishedTurns } from './finished-turns.js';
import { storePaidReply } from './paid-reply.js';
import { NotAtOnce } from './patience.js';
import type { ClockPort } from './ports/clock.js';
import type { ModelPort, ModelRequest } from './ports/model.js';
import { PortFailure } from './ports/port-failure.js';
import type { RunFilesPort } from './ports/run-files.js';
import type { SpendingPort } from './ports/spending.js';
import { createTurnstile } from './turnstile.js';

export interface AskModelPorts {
  readonly model: ModelPort;
  readonly runFiles: RunFilesPort;
  readonly spending: SpendingPort;
  readonly clock: ClockPort;
  /** Of one attempt, while a reply cannot be stored. @defaultValue storingPatienceMs */
  readonly patienceMs?: number;
  /** Fires when the worker is to end. @defaultValue never */
  readonly workerEnds?: AbortSignal;
}

/**
 * One model call of a question, or what is known without one. The reply is stored before the activity completes and
 * looked for before the model is asked, so a turn that was paid for is never paid for again. A call that may not be
 * made now is no failure: it is deferred, and the question's workflow waits. As a local activity it leaves to the queue
 * what it cannot do at once, and what has to be tried again.
 */
export function createAskModel({
  model,
  runFiles,
  spending,
  clock,
  patienceMs = storingPatienceMs,
  workerEnds,
}: AskModelPorts): (
  turn: TurnRef,
  soFar?: CallSoFar,
) => Promise<ModelTurn | Deferral | BudgetStop | LeftToQueue> {
  let askedHere = 0;
  /** Models whose last call took long, by address and name. */
  const slow = new Set<string>();
  const steps = createTurnstile({ places: stepsAtOnce, mostMs: stepMs });

  return async function askModel(ref, soFar = {}) {
    return reportingFailures(async () => {
      steps.leave(questionOf(ref));
      const stored = await runFiles.reply(ref.run, ref, ref.turn);
      if (stored) return summariseReply(stored);
      return Context.current().info.isLocal ? askHere(ref) : askThroughQueue(ref, soFar);
    });
  };

  function askThroughQueue(
    ref: TurnRef,
    soFar: CallSoFar,
  ): Promise<ModelTurn | Deferral | BudgetStop> {
    const parse = (paid: unknown): ReplyRecord | undefined =>
      replyRecordSchema.safeParse(paid).data;
    return tryCall(soFar, parse, async (attempt) => {
      const record = attempt.paid ?? (await takeTurn(ref, { ...attempt, waitsMs: null }));
      if ('kind' in record) return record;
      return summariseReply(await storePaidReply(record, saveTo(ref), patienceMs, attempt.keep));
    });
  }

  async function askHere(ref: TurnRef): Promise<ModelTurn | Deferral | BudgetStop | LeftToQueue> {
    // A step that goes on from call to call would keep the worker for all turns that are left.
    if (workerEnds?.aborted) return { kind: 'left-to-queue', because: 'the worker is to end' };
    if (ref.turn === 1 && slow.has(modelOf(await runFiles.manifest(ref.run)))) {
      return { kind: 'left-to-queue', because: 'its model takes long' };
    }
    const lateMs = Date.now() - Context.current().info.currentAttemptScheduledTimestampMs;
    if (lateMs > lateHereMs || askedHere >= askedHereAtMost) {
      return { kind: 'left-to-queue', because: 'the worker has its hands full' };
    }
    askedHere += 1;
    try {
      const signal = Context.current().cancellationSignal;
      const attempt = { retries: 0, signal, tell: () => undefined, waitsMs: waitsHereMs };
      const record = await takeTurn(ref, attempt);
      if ('kind' in record) return record;
      return await storeHere(ref, record);
    } catch (error) {
      if (error instanceof NotAtOnce) {
        return { kind: 'left-to-queue', because: 'it has to wait for its turn, or for the budget' };
      }
      if (!isPassing(error)) throw error;
      const { retryAfterMs: afterMs = firstRetryMs } = error.options;
      return { kind: 'left-to-queue', because: error.message, tries: 1, afterMs };
    } finally {
      askedHere -= 1;
    }
  }

  async function storeHere(ref: TurnRef, record: ReplyRecord): Promise<ModelTurn | LeftToQueue> {
    try {
      const stored = await saveTo(ref)(record);
      await steps.enter(questionOf(ref));
      return summariseReply(stored);
    } catch (error) {
      if (!isPassing(error)) throw error;
      return { kind: 'left-to-queue', because: error.message, paid: record };
    }
  }

  function saveTo(ref: TurnRef): (reply: ReplyRecord) => Promise<ReplyRecord> {
    return (reply) => runFiles.saveReply(ref.run, ref, reply);
  }

  async function takeTurn(
    ref: TurnRef,
    attempt: Attempt,
  ): Promise<ReplyRecord | Deferral | BudgetStop> {
    const manifest = await runFiles.manifest(ref.run);
    const { config } = manifest;
    const method = methods[config.method];
    const first = firstTurnInWindow(ref.turn, config.windowSize, method.kind);
    const [item, briefing, turns] = await Promise.all([
      runFiles.item(ref.run, ref.uuid),
      briefingOf(runFiles, ref, method),
      finishedTurns(runFiles, ref, first, ref.turn - 1),
    ]);
    const before = { material: { manifest, item, briefing }, turn: ref.turn, turns };
    const plan = planTurn(method, ref.turn, config);
    const startedAt = clock.now();
    const said = await takenBy(ref, plan, before, attempt);
    if ('kind' in said) return said;
    const repeats = repeatedTurn(said.reading, turns);
    const record: ReplyRecord = {
      turn: ref.turn,
      ...said,
      ...(repeats !== undefined && { repeats }),
      retries: attempt.retries,
      startedAt,
      endedAt: clock.now(),
    };
    if (record.model !== null) noteSpeed(modelOf(manifest), record);
    return record;
  }

  function noteSpeed(model: string, record: ReplyRecord): void {
    if (isBrisk(record)) slow.delete(model);
    else slow.add(model);
  }

  async function takenBy(
    ref: TurnRef,
    plan: TurnPlan,
    before: TurnMaterial,
    attempt: Attempt,
  ): Promise<Said | Deferral | BudgetStop> {
    if (!asksModel(plan)) return unasked(givenTurn(plan, before));
    const { replay } = before.material.manifest.config;
    if (replay === null) return ask(ref, plan, before, attempt);
    return saidIn(await recordedReply(runFiles, replay, ref), plan, before);
  }

  async function ask(
    ref: TurnRef,
    plan: ModelPlan,
    before: TurnMaterial,
    attempt: Attempt,
  ): Promise<Said | Deferral | BudgetStop> {
    const { material, turns } = before;
    const { config } = material.manifest;
    requireRoom(before);
    const messages = requestMessages(material, ref.turn, turns);
    const { timeoutMs, cache, price } = config.model;
    const request: ModelRequest = {
      ...turnRequest(config, ref.turn, messages),
      timeoutMs,
      cache,
      run: ref.run,
      concurrency: config.concurrency === 'auto' ? 'auto' : 'fixed',
    };
    const need = (): Amount => worstCase(request, price);
    if (await isOverQuestionBudget(ref, config.questionBudget, need))
      return { kind: 'budget-stop' };

    const reserve = reserveFor(spending, ref.run, config);
    const called = await callModel(model, reserve, request, price, attempt, attempt.waitsMs);
    return called.kind === 'deferred' ? called : saidIn(called, plan, before);
  }

  /** Whether the question's own ceiling leaves no room for another call. */
  async function isOverQuestionBudget(
    ref: TurnRef,
    cap: Cap,
    need: () => Amount,
  ): Promise<boolean> {
    if (!isCapped(cap)) return false;
    const turns = await finishedTurns(runFiles, ref, 1, ref.turn - 1);
    const spent = sum(turns.map(({ reply }) => amountOfReply(reply)));
    return !covers(ceiling(cap), add(spent, need()));
  }
}

const modelOf = ({ config }: RunManifest): string => `${config.model.baseUrl} ${config.model.name}`;

const questionOf = (ref: TurnRef): string => `${ref.run} ${keyText(ref)}`;

interface Attempt extends Pick<CallTry<ReplyRecord>, 'retries' | 'signal' | 'tell'> {
  /** Longest that it may wait before it is sent; null where it may wait for long. */
  readonly waitsMs: number | null;
}

/** The reference sends what fits, without the turn before it where it must. Throws PortFailure where there is no room. */
function requireRoom({ material, turn, turns }: TurnMaterial): void {
  const { strict, contextTokens } = material.manifest.config;
  const shortfall = strict ? null : turnShortfall(material, turn, turns);
  if (!shortfall) return;
  throw new PortFailure(
    'ContextOverflow',
    `turn ${turn} needs about ${shortfall.needed} tokens for its opening and the turn before it, and the context of ${contextTokens} leaves ${Math.max(0, shortfall.room)} beside a reply`,
  );
}

/** What of a turn's record comes from its reply. */
type Said = Omit<ReplyRecord, 'turn' | 'repeats' | 'retries' | 'startedAt' | 'endedAt'>;

const saidIn = (
  { reply, costUsd, charged }: Omit<PaidReply, 'kind'>,
  plan: ModelPlan,
  before: TurnMaterial,
): Said => ({
  raw: reply.content,
  ...(reply.reasoning !== undefined && { reasoning: reply.reasoning }),
  ...(reply.toolCalls && { toolCalls: reply.toolCalls }),
  ...(reply.finishReason !== 'stop' && { finishReason: reply.finishReason }),
  reading: readTurn(reply, plan, before),
  model: reply.model,
  tokens: reply.tokens && { reasoning: 0, ...reply.tokens },
  costUsd,
  ...(charged && { charged }),
  cacheHit: reply.cacheHit ?? false,
});

const unasked = (reading: ReplyRecord['reading']): Said => ({
  raw: '',
  reading,
  model: null,
  tokens: null,
  costUsd: 0,
  cacheHit: false,
});
