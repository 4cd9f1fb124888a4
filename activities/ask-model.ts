import { Context } from '@temporalio/activity';
import { conversation, openingMessages } from '../domain/questions/conversation.js';
import { methods } from '../domain/methods/methods.js';
import { summariseReply, type ModelTurn } from '../domain/questions/model-turn.js';
import { parseReply } from '../domain/actions/parse-reply.js';
import type { TurnRef } from '../domain/questions/question-ref.js';
import type { ReplyRecord } from '../domain/questions/turn-record.js';
import { firstTurnInWindow } from '../domain/questions/window.js';
import { reportingFailures } from './failures.js';
import { finishedTurns } from './finished-turns.js';
import { whileHeartbeating } from './heartbeat.js';
import type { ClockPort } from './ports/clock.js';
import type { ModelPort } from './ports/model.js';
import type { RunFilesPort } from './ports/run-files.js';

export interface AskModelPorts {
  readonly model: ModelPort;
  readonly runFiles: RunFilesPort;
  readonly clock: ClockPort;
}

/**
 * One model call of a question. The reply is stored before the activity completes and looked for before
 * the model is asked, so a turn that was paid for is never paid for again.
 */
export function createAskModel({
  model,
  runFiles,
  clock,
}: AskModelPorts): (turn: TurnRef) => Promise<ModelTurn> {
  return async function askModel(ref) {
    return reportingFailures(async () => {
      const stored = await runFiles.reply(ref.run, ref, ref.turn);
      if (stored) return summariseReply(stored);

      const manifest = await runFiles.manifest(ref.run);
      const { config } = manifest;
      const [item, turns] = await Promise.all([
        runFiles.item(ref.run, ref.uuid),
        finishedTurns(runFiles, ref, firstTurnInWindow(ref.turn, config.windowSize), ref.turn - 1),
      ]);
      const messages = conversation(openingMessages(manifest, item), turns);
      const startedAt = clock.now();
      const reply = await whileHeartbeating((signal) =>
        model.complete(
          {
            baseUrl: config.model.baseUrl,
            model: config.model.name,
            temperature: config.model.temperature,
            topP: config.model.topP,
            maxTokens: config.model.maxTokens,
            timeoutMs: config.model.timeoutMs,
            messages,
          },
          signal,
        ),
      );
      const record: ReplyRecord = {
        turn: ref.turn,
        raw: reply.content,
        reading: parseReply(reply.content, {
          actions: methods[config.method].actions,
          strictness: config.strict ? 'strict' : 'tolerant',
        }),
        model: reply.model,
        tokens: reply.tokens,
        retries: Context.current().info.attempt - 1,
        startedAt,
        endedAt: clock.now(),
      };
      return summariseReply(await runFiles.saveReply(ref.run, ref, record));
    });
  };
}
