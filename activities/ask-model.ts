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
import { turnShortfall } from '../domain/questions/context-shortfall.js';
import { requestMessages } from '../domain/questions/conversation.js';
import { methods } from '../domain/methods/methods.js';
import { asksModel, planTurn, type ModelPlan, type TurnPlan } from '../domain/methods/turn-plan.js';
import { givenTurn, readTurn, type TurnMaterial } from '../domain/questions/read-turn.js';
import { repeatedTurn } from '../domain/questions/repeated-turn.js';
import { summariseReply, type ModelTurn } from '../domain/questions/model-turn.js';
import type { TurnRef } from '../domain/questions/question-ref.js';
import { replyRecordSchema, type ReplyRecord } from '../domain/questions/turn-record.js';
import { storingPatienceMs } from '../domain/questions/storing-patience.js';
import { turnRequest } from '../domain/questions/turn-request.js';
import { firstTurnInWindow } from '../domain/questions/window.js';
import { callModel, type PaidReply } from './call-model.js';
import { reportingFailures } from './failures.js';
import { recordedReply } from './recorded-reply.js';
import { reserveFor } from './reserve-for.js';
import { briefingOf, finishedTurns } from './finished-turns.js';
import { paidReply, storePaidReply } from './paid-reply.js';
import type { ClockPort } from './ports/clock.js';
import type { ModelPort, ModelRequest } from './ports/model.js';
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
      const record =
        paidReply((details) => replyRecordSchema.safeParse(details).data) ?? (await takeTurn(ref));
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
    const said = await takenBy(ref, plan, before);
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

  async function takenBy(
    ref: TurnRef,
    plan: TurnPlan,
    before: TurnMaterial,
  ): Promise<Said | Deferral | BudgetStop> {
    if (!asksModel(plan)) return unasked(givenTurn(plan, before));
    const { replay } = before.material.manifest.config;
    if (replay === null) return ask(ref, plan, before);
    return saidIn(await recordedReply(runFiles, replay, ref), plan, before);
  }

  async function ask(
    ref: TurnRef,
    plan: ModelPlan,
    before: TurnMaterial,
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
    const called = await callModel(model, reserve, request, price);
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
