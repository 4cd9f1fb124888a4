import type { ModelPort, ModelReply, ModelRequest } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { hasImage, partsOf } from '../../../domain/models/chat-message.js';
import type { ModelApi } from '../../../domain/model-api.js';
import type { FailedExchange } from '../../../domain/models/call-attempts.js';
import { requestBody, requestPath } from '../../../domain/models/apis/request-body.js';
import { lateStatus } from '../../../domain/models/provider-errors.js';
import type { BatchedAnswer } from '../../../domain/runs/batches.js';
import { sha256Of } from '../../../storage/sha256.js';
import { readAnthropicReply } from './anthropic-reply.js';
import { callEndpoint } from './call-endpoint.js';
import { readChatReply, readResponsesReply } from './openai-reply.js';
import { keyFor, type EndpointKeys } from './endpoint.js';
import { statusFailure, type Asked } from './failures.js';
import { readGeminiReply } from './gemini-reply.js';
import { readReply, type ReadReply } from './read-reply.js';

/** A reply in the form of each API. Undefined for JSON of another form. */
const readers: Readonly<Record<ModelApi, (json: unknown) => ReadReply | undefined>> = {
  chat: readChatReply,
  responses: readResponsesReply,
  anthropic: readAnthropicReply,
  gemini: readGeminiReply,
};

/** A model behind any of the APIs, without retries. A key is sent only to the base URL it is for. */
export const createModel = (keys: EndpointKeys): ModelPort => ({
  complete: async (request, signal) => {
    const asked = askedOf(keys, request);
    const key = keyFor(keys[request.api], request.baseUrl);
    const sent = { path: requestPath(request), body: requestBody(request), key };
    const at = new Date().toISOString();
    let came: Pick<FailedExchange, 'status' | 'reply'> = {};
    try {
      const answer = await callEndpoint(asked, sent, signal, (whole) => (came = whole));
      const read = readReply(answer, asked, readers[request.api]);
      return exchanged(read, sent.body, came.reply);
    } catch (error) {
      if (!(error instanceof PortFailure)) throw error;
      const exchange: FailedExchange = { at, request: digestOf(sent.body), ...came };
      throw new PortFailure(error.type, error.message, { ...error.options, exchange });
    }
  },
});

export function askedOf(
  keys: EndpointKeys,
  { api, baseUrl, model, messages, tools, timeoutMs }: ModelRequest,
): Asked {
  const texts = messages
    .flatMap(({ content }) => partsOf(content))
    .flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return {
    api,
    baseUrl,
    model,
    timeoutMs,
    keySent: keyFor(keys[api], baseUrl) !== undefined,
    secrets: [keys[api].apiKey ?? '', ...texts],
    images: messages.some(hasImage),
    tools: tools !== undefined,
  };
}

type ReplyWithId = ReturnType<typeof readReply>;

/** The reply in an answer of a batch. Throws PortFailure as for an answer to a single call. */
export function readBatched({ status, body }: BatchedAnswer, asked: Asked): ReplyWithId {
  const headers = new Headers();
  const failed = status >= 400 ? status : lateStatus(body);
  if (failed !== undefined)
    throw statusFailure({ status: failed, body, headers, mayBePaid: false }, asked);
  return readReply({ body: JSON.stringify(body), headers }, asked, readers[asked.api]);
}

export const digestOf = (body: unknown): string => sha256Of(JSON.stringify(body));

/** The reply with what was exchanged for it. @param reply - the digest of its body */
export const exchanged = (
  { id, ...read }: ReplyWithId,
  sent: unknown,
  reply: string | undefined,
): ModelReply => ({
  ...read,
  exchange: {
    request: digestOf(sent),
    ...(reply !== undefined && { reply }),
    ...(id !== undefined && { id }),
  },
});
