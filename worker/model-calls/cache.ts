import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ModelPort, ModelRequest } from '../../activities/ports/model.js';
import { finishReasons, toolCallSchema } from '../../domain/models/chat-message.js';
import { requestBody, requestPath } from '../../domain/models/apis/request-body.js';
import { jsonText, readJsonFile, writeFileIfPossible } from '../../storage/atomic-file.js';
import { cachedReplyFile, noteUse } from '../../storage/cached-replies.js';
import { endpointUrl } from '../adapters/model-apis/endpoint.js';

const count = z.int().nonnegative();

/** The contents of a cache file. */
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
 * The second link of a model call: replies from files to requests that were made before, if the request allows it. Two
 * requests are the same if their endpoint, all parameters and all messages are equal. Each reply is a file, written
 * atomically, so that any number of processes can share the folder. Two equal requests at the same time are both sent, and
 * one of the replies is kept. The files hold a hash of the request, not its messages or pictures. Which replies
 * a run has used is noted, for `turnwise runs rm --cache`.
 */
export const caching =
  (folder: string) =>
  (next: ModelPort): ModelPort => ({
    complete: async (request, signal, report) => {
      if (!request.cache) return next.complete(request, signal, report);
      const key = keyOf(request);
      const path = cachedReplyFile(folder, key);
      if (request.run !== undefined) await noteUse(folder, request.run, key);
      // A damaged file counts as missing.
      const kept = keptReplySchema.safeParse(await readJsonFile(path).catch(() => undefined));
      if (kept.success) return { ...kept.data.reply, cacheHit: true };
      const reply = await next.complete(request, signal, report);
      // The reply is paid for: it is returned even if the disk is full.
      await writeFileIfPossible(path, jsonText(keptReplySchema.parse({ reply })));
      return reply;
    },
  });

/** SHA-256 of the address and the body of a request, in hex. A streamed reply is the same one. */
function keyOf(asked: ModelRequest): string {
  const request = { ...asked, stream: false };
  return createHash('sha256')
    .update(
      JSON.stringify([endpointUrl(request.baseUrl), requestPath(request), requestBody(request)]),
    )
    .digest('hex');
}
