import {
  requestMessages,
  fewerTurns,
  firstTurnInWindow,
  turnRequest,
  turnShortfall,
} from '../../domain/agent/conversation.js';
import { askedAnew } from '../../domain/agent/own-agent/protocol.js';
import { methodOf } from '../../domain/agent/methods.js';
import {
  fixedTurn,
  readTurn,
  repeatedTurn,
  type TurnMaterial,
} from '../../domain/agent/read-turn.js';
import {
  asksModel,
  mustAnswer,
  planTurn,
  type ModelPlan,
  type TurnPlan,
} from '../../domain/agent/turn-plan.js';
import {
  replyRecordSchema,
  summariseReply,
  type FinishedTurn,
  type ModelTurn,
  type ReplyRecord,
} from '../../domain/agent/turn-record.js';
import {
  add,
  capAsAmount,
  covers,
  isCapped,
  sum,
  estimatedCost,
  type Amount,
  type Cap,
} from '../../domain/budget/amount.js';
import { sizeOf } from '../../domain/budget/call-size.js';
import type { CallAttempts } from '../../domain/models/call-attempts.js';
import type { BudgetStop, Deferral, TurnRef } from '../../domain/runs/question-ref.js';
import type { RunConfig } from '../../domain/runs/run-config.js';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import type { DatasetItem } from '../../domain/scoring/dataset-item.js';
import { callTokensSchema } from '../../domain/models/usage.js';
import { formLacking, withFormChecked } from '../../domain/scoring/answer-form.js';
import { amountOfTurn, costOfReply } from '../../domain/runs/spent-amount.js';
import type { ClockPort } from '../ports/clock.js';
import type { CallStage, ModelPort, ModelReply, ModelRequest } from '../ports/model.js';
import type { OwnCodePort } from '../ports/own-code.js';
import type { DatabasesPort } from '../ports/stores.js';
import { PortFailure } from '../ports/port-failure.js';
import type { RunFilesPort } from '../ports/run-files.js';
import {
  attemptCall,
  paidActivity,
  readyCall,
  type CallAttempt,
  type ReadyCall,
} from './call-attempt.js';
import { askAgent, type AskedByAgent } from './ask-agent.js';
import { recordedReply } from './stored-reply.js';
import { schemaOf } from './question-database.js';
import { questionContextOf, finishedTurns } from './stored-turns.js';

/** A TurnMaterial with the whole manifest of its run. */
type TurnOfRun = TurnMaterial & {
  readonly material: { readonly manifest: RunManifest };
  /** What an agent of the user's wants; null for methods of ours. */
  readonly wanted: AskedByAgent | null;
};

interface AskModelPorts {
  readonly model: ModelPort;
  readonly ownCode: Pick<OwnCodePort, 'callAgent'>;
  readonly runFiles: RunFilesPort;
  readonly databases: DatabasesPort;
  readonly clock: ClockPort;
  /** How long one attempt keeps trying to store a reply. @defaultValue storeReplyForMs */
  readonly storeForMs?: number;
}

/**
 * One model call of a question, or the stored reply if the turn has one. The reply is stored before the activity
 * completes, so that no turn is paid for twice. A call that may not be made now resolves to a deferral, and the
 * question's workflow waits.
 */
export function createAskModel({
  model,
  ownCode,
  runFiles,
  databases,
  clock,
  storeForMs,
}: AskModelPorts): (
  turn: TurnRef,
  before?: CallAttempts,
) => Promise<ModelTurn | Deferral | BudgetStop> {
  const turnsBefore = (ref: TurnRef) => finishedTurns(runFiles, ref, 1, ref.turn - 1);
  return paidActivity(async (ref, before) => {
    const record = await attemptCall<ReplyRecord, BudgetStop>({
      before,
      parse: (paid) => replyRecordSchema.safeParse(paid).data,
      find: () => runFiles.reply(ref.run, ref, ref.turn),
      prepare: (attempt) => prepareTurn(ref, attempt),
      save: (reply) => runFiles.saveReply(ref.run, ref, reply),
      storeForMs,
    });
    return 'kind' in record ? record : summariseReply(record);
  });

  async function prepareTurn(
    ref: TurnRef,
    attempt: CallAttempt,
  ): Promise<ReadyCall<ReplyRecord> | BudgetStop> {
    const manifest = await runFiles.manifest(ref.run);
    const { config } = manifest;
    const method = methodOf(config);
    const first = firstTurnInWindow(ref.turn, config.windowSize, method.kind);
    const item = await runFiles.item(ref.run, ref.uuid);
    const [database, questionContext, turns, checked] = await Promise.all([
      schemaOf(databases, manifest, item),
      questionContextOf(runFiles, ref, method),
      finishedTurns(runFiles, ref, first, ref.turn - 1),
      turnsOfFormCheck(ref, config, item.evaluator),
    ]);
    const known = {
      material: { manifest, item, database, questionContext },
      turn: ref.turn,
      turns,
    };
    const wanted =
      method.kind === 'program' ? await askAgent(ownCode, ref, known, attempt.signal) : null;
    const before = { ...known, wanted };
    const plan = planTurn(method, ref.turn, config, turns);
    const startedAt = clock.now();
    const waits = timedWaits(attempt, clock);
    const send = await prepareReply(ref, plan, before, waits.attempt);
    if (typeof send === 'object') return send;
    return readyCall(send, (fields) => {
      const repeats = repeatedTurn(fields.reading, turns);
      const reading = checked
        ? withFormChecked(fields.reading, checked, item.evaluator)
        : fields.reading;
      return {
        turn: ref.turn,
        ...fields,
        reading,
        ...(repeats !== undefined && { repeats }),
        ...(wanted && { asked256: wanted.sha256 }),
        ...(wanted?.turn.kind === 'model' && { asked: askedAnew(wanted.turn.messages, turns) }),
        ...attempt.before(),
        ...(waits.ms() > 0 && { waitedMs: waits.ms() }),
        startedAt,
        endedAt: clock.now(),
      };
    });
  }

  /** The turns before this one, where the form of an answer is checked: it is refused once. */
  async function turnsOfFormCheck(
    ref: TurnRef,
    config: RunConfig,
    evaluator: DatasetItem['evaluator'],
  ): Promise<readonly FinishedTurn[] | null> {
    if (evaluator === undefined || formLacking('in no form', evaluator) === null) return null;
    return (await mayAnswerAgain(ref, config)) ? turnsBefore(ref) : null;
  }

  /** Whether a turn with another answer can follow. A replay has the turns that were recorded. */
  async function mayAnswerAgain(ref: TurnRef, config: RunConfig): Promise<boolean> {
    const { strict, windowSize, replay } = config;
    if (methodOf(config).kind !== 'iterative' || strict || windowSize === 0) return false;
    if (mustAnswer(ref.turn, config)) return false;
    return replay === null || (await runFiles.reply(replay, ref, ref.turn + 1)) !== null;
  }

  async function prepareReply(
    ref: TurnRef,
    plan: TurnPlan,
    before: TurnOfRun,
    attempt: CallAttempt,
  ): Promise<SendReply | BudgetStop> {
    if (before.wanted?.turn.kind === 'action') {
      const fields = fieldsWithoutCall(before.wanted.turn.reading);
      return () => Promise.resolve(fields);
    }
    if (!asksModel(plan)) {
      const fields = fieldsWithoutCall(fixedTurn(plan, before));
      return () => Promise.resolve(fields);
    }
    const { replay } = before.material.manifest.config;
    if (replay === null) return prepareCall(ref, plan, before, attempt);
    const recorded = fieldsOf(
      await recordedReply(runFiles, replay, ref),
      { costUsd: 0 },
      plan,
      before,
    );
    return () => Promise.resolve(recorded);
  }

  async function prepareCall(
    ref: TurnRef,
    plan: ModelPlan,
    before: TurnOfRun,
    attempt: CallAttempt,
  ): Promise<SendReply | BudgetStop> {
    const { material, turns } = before;
    const { config } = material.manifest;
    requireRoom(before);
    const need = (): Amount => estimatedCost(sizeOf(requestOf(ref, before, turns)));
    if (await isOverQuestionBudget(ref, config.questionBudget, need)) {
      return { kind: 'budget-stop' };
    }
    return () => callModel(ref, plan, before, attempt);
  }

  async function callModel(
    ref: TurnRef,
    plan: ModelPlan,
    before: TurnOfRun,
    attempt: CallAttempt,
  ): Promise<ReplyFields> {
    const { material, turns } = before;
    const { config } = material.manifest;
    for (let sent = turns; ;) {
      const request = requestOf(ref, before, sent);
      try {
        const answer = await model.complete(request, attempt.signal, attempt.report);
        return {
          ...fieldsOf(answer, costOfReply(request, answer), plan, before),
          ...(sent !== turns && { turnsSent: sent.length }),
        };
      } catch (error) {
        // Nothing was billed.
        const fewer = isTooLong(error) ? fewerTurns(sent, config) : null;
        if (fewer === null) throw error;
        sent = fewer;
      }
    }
  }

  function requestOf(
    ref: TurnRef,
    { material, wanted }: TurnOfRun,
    turns: TurnOfRun['turns'],
  ): ModelRequest {
    const { config } = material.manifest;
    const messages =
      wanted?.turn.kind === 'model'
        ? wanted.turn.messages
        : requestMessages(material, ref.turn, turns);
    const { timeoutMs, cache, price, batch } = config.model;
    const { uuid, epoch, asking = 1, turn } = ref;
    return {
      ...turnRequest(config, ref.turn, messages),
      timeoutMs,
      cache,
      price,
      run: ref.run,
      capped: isCapped(config.budget),
      concurrency: config.concurrency === 'auto' ? 'auto' : 'fixed',
      warmFirst: config.warmFirst,
      ...(batch && {
        batched: { owner: { run: ref.run }, uuid, epoch, asking, call: `turn ${turn}` },
      }),
    };
  }

  /** Whether the budget of this question leaves too little for another call. */
  async function isOverQuestionBudget(
    ref: TurnRef,
    cap: Cap,
    need: () => Amount,
  ): Promise<boolean> {
    if (!isCapped(cap)) return false;
    const spent = sum((await turnsBefore(ref)).map(amountOfTurn));
    return !covers(capAsAmount(cap), add(spent, need()));
  }
}

/** Throws PortFailure if the messages do not fit into the model's context. Strict mode sends what fits instead. */
function requireRoom({ material, turn, turns }: TurnMaterial): void {
  const { strict, contextTokens } = material.manifest.config;
  const shortfall = strict ? null : turnShortfall(material, turn, turns);
  if (!shortfall) return;
  throw new PortFailure(
    'ContextOverflow',
    `turn ${turn} needs about ${shortfall.needed} tokens for its first messages and the turn before it, and the context of ${contextTokens} leaves ${Math.max(0, shortfall.room)} beside a reply`,
  );
}

const isTooLong = (error: unknown): boolean =>
  error instanceof PortFailure &&
  (error.type === 'ContextOverflow' || error.type === 'ModelRequestTooLarge');

/** Counts the time in which an attempt has not sent its request, as its stages tell. */
function timedWaits(
  attempt: CallAttempt,
  clock: ClockPort,
): { readonly attempt: CallAttempt; readonly ms: () => number } {
  let since: number | null = null;
  let ms = 0;
  const report: CallAttempt['report'] = (stage, failed) => {
    const now = Date.parse(clock.now());
    if (since !== null) ms += Math.max(0, now - since);
    since = stage === sentStage ? null : now;
    attempt.report(stage, failed);
  };
  return { attempt: { ...attempt, report }, ms: () => ms };
}

const sentStage = 'calls the model' satisfies CallStage;

type SendReply = () => Promise<ReplyFields>;

/** The fields of a turn's record that come from its reply. */
type ReplyFields = Omit<
  ReplyRecord,
  | ('turn' | 'repeats' | 'retries' | 'lost' | 'failures' | 'waitedMs' | 'startedAt' | 'endedAt')
  | ('asked' | 'asked256')
>;

const fieldsOf = (
  reply: ModelReply,
  cost: ReturnType<typeof costOfReply>,
  plan: ModelPlan,
  before: TurnOfRun,
): ReplyFields => ({
  raw: reply.content,
  ...(reply.reasoning !== undefined && { reasoning: reply.reasoning }),
  ...(reply.toolCalls && { toolCalls: reply.toolCalls }),
  ...(reply.finishReason !== 'stop' && { finishReason: reply.finishReason }),
  ...(reply.servedBy && { servedBy: reply.servedBy }),
  reading: readTurn(reply, plan, before),
  model: reply.model,
  tokens: reply.tokens && callTokensSchema.parse(reply.tokens),
  ...cost,
  cacheHit: reply.cacheHit ?? false,
  ...(reply.exchange && { exchange: reply.exchange }),
  ...(reply.batched && { batched: true }),
});

const fieldsWithoutCall = (reading: ReplyRecord['reading']): ReplyFields => ({
  raw: '',
  reading,
  model: null,
  tokens: null,
  costUsd: 0,
  cacheHit: false,
});
