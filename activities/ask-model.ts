import { Context } from '@temporalio/activity';
import { costOfCall } from '../domain/models/price.js';
import { requestMessages } from '../domain/questions/conversation.js';
import { methods } from '../domain/methods/methods.js';
import { planTurn } from '../domain/methods/turn-plan.js';
import { readReply } from '../domain/questions/read-reply.js';
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
import type { ModelPort } from './ports/model.js';
import type { RunFilesPort } from './ports/run-files.js';

export interface AskModelPorts {
  readonly model: ModelPort;
  readonly runFiles: RunFilesPort;
  readonly clock: ClockPort;
  /** Of one attempt, while a reply cannot be stored. @defaultValue storingPatienceMs */
  readonly patienceMs?: number;
}

/**
 * One model call of a question. The reply is stored before the activity completes and looked for before
 * the model is asked, so a turn that was paid for is never paid for again.
 */
export function createAskModel({
  model,
  runFiles,
  clock,
  patienceMs = storingPatienceMs,
}: AskModelPorts): (turn: TurnRef) => Promise<ModelTurn> {
  return async function askModel(ref) {
    return reportingFailures(async () => {
      const stored = await runFiles.reply(ref.run, ref, ref.turn);
      if (stored) return summariseReply(stored);
      const record = paidReply() ?? (await ask(ref));
      const save = (reply: ReplyRecord): Promise<ReplyRecord> =>
        runFiles.saveReply(ref.run, ref, reply);
      return summariseReply(await storePaidReply(record, save, patienceMs));
    });
  };

  async function ask(ref: TurnRef): Promise<ReplyRecord> {
    const manifest = await runFiles.manifest(ref.run);
    const { config } = manifest;
    const method = methods[config.method];
    const first = firstTurnInWindow(ref.turn, config.windowSize, method.kind);
    const [item, briefing, turns] = await Promise.all([
      runFiles.item(ref.run, ref.uuid),
      briefingOf(runFiles, ref, method),
      finishedTurns(runFiles, ref, first, ref.turn - 1),
    ]);
    const messages = requestMessages({ manifest, item, briefing }, ref.turn, turns);
    const { timeoutMs, cache, price } = config.model;
    const startedAt = clock.now();
    const reply = await whileHeartbeating((signal) =>
      model.complete({ ...turnRequest(config, ref.turn, messages), timeoutMs, cache }, signal),
    );
    const strictness = config.strict ? 'strict' : 'tolerant';
    const reading = readReply(reply, planTurn(method, ref.turn, config), strictness);
    const repeats = repeatedTurn(reading, turns);
    return {
      turn: ref.turn,
      raw: reply.content,
      ...(reply.reasoning !== undefined && { reasoning: reply.reasoning }),
      ...(reply.toolCalls && { toolCalls: reply.toolCalls }),
      reading,
      ...(repeats !== undefined && { repeats }),
      model: reply.model,
      tokens: reply.tokens && { reasoning: 0, ...reply.tokens },
      costUsd: reply.cacheHit ? 0 : costOfCall(reply.tokens, price),
      cacheHit: reply.cacheHit ?? false,
      retries: Context.current().info.attempt - 1,
      startedAt,
      endedAt: clock.now(),
    };
  }
}
