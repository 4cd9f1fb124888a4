import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import type { ModelPort, ModelRequest } from '../../activities/ports/model.js';
import { finishReasons, toolCallSchema } from '../../domain/models/chat-message.js';
import { chatBody } from '../../domain/models/chat-request.js';
import { readJsonFile, writeFileIfPossible } from '../../storage/atomic-file.js';
import { endpointUrl } from '../adapters/openai/endpoint.js';

const count = z.int().nonnegative();

/** A reply as it is kept. Texts stay texts: what looks like a number is none. */
const keptReplySchema = z.object({
  reply: z.object({
    content: z.string(),
    reasoning: z.string().exactOptional(),
    toolCalls: z.array(toolCallSchema).exactOptional(),
    finishReason: z.enum(finishReasons),
    model: z.string(),
    tokens: z
      .object({ prompt: count, completion: count, cached: count, reasoning: count.exactOptional() })
      .nullable(),
  }),
});

/**
 * The second link: answers a request that was made before from files, where the request allows it. A request matches by
 * its endpoint, every parameter and every message. Each key has one file, written whole, so that any number of processes
 * may share the folder; two that ask the same at once both pay, and either reply stands. Prompts and pictures are hashed
 * into the key and not stored.
 */
export const caching =
  (folder: string) =>
  (next: ModelPort): ModelPort => ({
    complete: async (request, signal, tell) => {
      if (!request.cache) return next.complete(request, signal, tell);
      const key = keyOf(request);
      const path = join(folder, key.slice(0, 2), `${key}.json`);
      // What cannot be read is not there.
      const kept = keptReplySchema.safeParse(await readJsonFile(path).catch(() => undefined));
      if (kept.success) return { ...kept.data.reply, cacheHit: true };
      const reply = await next.complete(request, signal, tell);
      // The reply is paid for: a full disk must not lose it.
      const text = `${JSON.stringify(keptReplySchema.parse({ reply }), null, 1)}\n`;
      await writeFileIfPossible(path, text);
      return reply;
    },
  });

/** SHA-256, in hex, over where a request goes and every byte of what is sent. */
function keyOf(request: ModelRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([endpointUrl(request.baseUrl), chatBody(request)]))
    .digest('hex');
}
