import { Context } from '@temporalio/activity';
import {
  add,
  ceiling,
  covers,
  isCapped,
  nothing,
  sum,
  type Amount,
  type Cap,
} from '../domain/budget/amount.js';
import { amountOfReply } from '../domain/budget/spent-amount.js';
import { dollars } from '../domain/models/cost.js';
import { costOfCall } from '../domain/models/price.js';
import { worstCase } from '../domain/models/worst-case.js';
import type { BudgetStop, Deferral } from '../domain/questions/deferral.js';
import { requestMessages } from '../domain/questions/conversation.js';
import { methods } from '../domain/methods/methods.js';
import { asksModel, planTurn, type ModelPlan } from '../domain/methods/turn-plan.js';
import { givenTurn, readTurn, type TurnMaterial } from '../domain/questions/read-turn.js';
import { repeatedTurn } from '../domain/questions/repeated-turn.js';
import { summariseReply, type ModelTurn } from '../domain/questions/model-turn.js';
import type { TurnRef } from '../domain/questions/question-ref.js';
import type { ReplyRecord } from '../domain/questions/turn-record.js';
import { storingPatienceMs } from '../domain/questions/storing-patience.js';
import { turnRequest } from '../domain/questions/turn-request.js';
import { firstTurnInWindow } from '../domain/questions/window.js';
import { reportingFailures } from './failures.js';
import { briefingOf, finishedTurns } from './finished-turns.js';
import { whileHeartbeating } from './heartbeat.js';
import { paidReply, storePaidReply } from './paid-reply.js';
import type { ClockPort } from './ports/clock.js';
import type { CallStage, ModelPort, ModelRequest } from './ports/model.js';
import { PortFailure } from './ports/port-failure.js';
import type { RunFilesPort } from './ports/run-files.js';
import type { SpendingPort } from './ports/spending.js';

export interface AskModelPorts {
  readonly model: ModelPort;
  readonly runFiles: RunFilesPort;
  readonly spending: SpendingPort;
  readonly clock: ClockPort;
  /** Of one attempt, while a reply cannot be stored. @defaultValue storingPatienceMs */
  readonly patienceMs?: number;
}

/**
 * One model call of a question, or what is known without one. The reply is stored before the activity completes and
 * looked for before the model is asked, so a turn that was paid for is never paid for again. A call that may not be
 * made now is no failure: it is deferred, and the question's workflow waits.
 */
export function createAskModel({
  model,
  runFiles,
  spending,
  clock,
  patienceMs = storingPatienceMs,
}: AskModelPorts): (turn: TurnRef) => Promise<ModelTurn | Deferral | BudgetStop> {
  return async function askModel(ref) {
    return reportingFailures(async () => {
      const stored = await runFiles.reply(ref.run, ref, ref.turn);
      if (stored) return summariseReply(stored);
      const record = paidReply() ?? (await takeTurn(ref));
      if ('kind' in record) return record;
      const save = (reply: ReplyRecord): Promise<ReplyRecord> =>
        runFiles.saveReply(ref.run, ref, reply);
      return summariseReply(await storePaidReply(record, save, patienceMs));
    });
  };

  async function takeTurn(ref: TurnRef): Promise<ReplyRecord | Deferral | BudgetStop> {
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
    const said = asksModel(plan) ? await ask(ref, plan, before) : unasked(givenTurn(plan, before));
    if ('kind' in said) return said;
    const repeats = repeatedTurn(said.reading, turns);
    return {
      turn: ref.turn,
      ...said,
      ...(repeats !== undefined && { repeats }),
      retries: Context.current().info.attempt - 1,
      startedAt,
      endedAt: clock.now(),
    };
  }

  async function ask(
    ref: TurnRef,
    plan: ModelPlan,
    before: TurnMaterial,
  ): Promise<Said | Deferral | BudgetStop> {
    const { material, turns } = before;
    const { config } = material.manifest;
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

    const outcome = await whileHeartbeating(async (signal, tell) => {
      tell('waits for the budget');
      const reservation = await spending.reserve(ref.run, need, signal);
      if (reservation.kind === 'refused') return overBudget(reservation.need);
      let stage: CallStage = 'calls the model';
      let actual: Amount = nothing;
      const note = (next: CallStage): void => {
        stage = next;
        tell(next);
      };
      tell(stage);
      try {
        const reply = await model.complete(request, signal, note);
        const costUsd = reply.cacheHit ? 0 : costOfCall(reply.tokens, price);
        actual = amountOfReply({ ...reply, costUsd, cacheHit: reply.cacheHit ?? false });
        return { kind: 'reply', reply, costUsd } as const;
      } catch (error) {
        if (mayBePaid(error, signal, stage)) actual = need();
        const deferral = deferralOf(error);
        if (deferral === null) throw error;
        return deferral;
      } finally {
        reservation.settle(actual);
      }
    });
    if (outcome.kind === 'deferred') return outcome;

    const { reply, costUsd } = outcome;
    return {
      raw: reply.content,
      ...(reply.reasoning !== undefined && { reasoning: reply.reasoning }),
      ...(reply.toolCalls && { toolCalls: reply.toolCalls }),
      reading: readTurn(reply, plan, before),
      model: reply.model,
      tokens: reply.tokens && { reasoning: 0, ...reply.tokens },
      costUsd,
      cacheHit: reply.cacheHit ?? false,
    };
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

/** What of a turn's record comes from its reply. */
type Said = Omit<ReplyRecord, 'turn' | 'repeats' | 'retries' | 'startedAt' | 'endedAt'>;

const unasked = (reading: ReplyRecord['reading']): Said => ({
  raw: '',
  reading,
  model: null,
  tokens: null,
  costUsd: 0,
  cacheHit: false,
});

const overBudget = (need: Amount): Deferral => ({
  kind: 'deferred',
  reason: 'budget',
  message: `The run's budget leaves less than the ${dollars(need.usd)} and ${need.tokens} tokens that the next call may cost.`,
  retryAfterMs: null,
  need,
});

/** A failure that is a matter of waiting; null for others. */
function deferralOf(error: unknown): Deferral | null {
  if (!(error instanceof PortFailure) || error.type !== 'ModelDeferred') return null;
  const { reason = 'rate-limit', retryAfterMs = null } = error.options;
  return { kind: 'deferred', reason, message: error.message, retryAfterMs };
}

/** Whether a call that came to nothing may be charged all the same: it was sent, and nobody knows what became of it. */
const mayBePaid = (error: unknown, signal: AbortSignal, stage: CallStage): boolean =>
  (signal.aborted && stage === 'calls the model') ||
  (error instanceof PortFailure && error.options.mayBePaid === true);
