import type { RunId } from '../../domain/ids.js';
import type { TurnRef } from '../../domain/runs/question-ref.js';
import type { ModelReply } from '../ports/model.js';
import { PortFailure } from '../ports/port-failure.js';
import type { RunFilesPort } from '../ports/run-files.js';

/**
 * The model's reply in the same turn of the same question and epoch of another run, at no cost. Throws PortFailure
 * (`ReplyMissing`) if that turn has none.
 */
export async function recordedReply(
  runFiles: RunFilesPort,
  run: RunId,
  ref: TurnRef,
): Promise<ModelReply> {
  const { uuid, epoch } = ref;
  const record = await runFiles.reply(run, { uuid, epoch }, ref.turn);
  if (record === null || record.model === null) {
    throw new PortFailure(
      'ReplyMissing',
      `run ${run} holds no reply for turn ${ref.turn} of question ${ref.uuid} (epoch ${ref.epoch})`,
    );
  }
  const { raw, reasoning, toolCalls, model, tokens, finishReason } = record;
  return {
    content: raw,
    ...(reasoning !== undefined && { reasoning }),
    ...(toolCalls && { toolCalls }),
    finishReason: finishReason ?? 'stop',
    model,
    tokens,
    cacheHit: true,
  };
}
