import type { ModelPort } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { hasImage, partsOf } from '../../../domain/models/chat-message.js';
import type { ModelApi } from '../../../domain/model-api.js';
import type { Exchange } from '../../../domain/models/exchange.js';
import { requestBody, requestPath } from '../../../domain/models/apis/request-body.js';
import { readAnthropicReply } from './anthropic-reply.js';
import { callEndpoint, sha256 } from './call-endpoint.js';
import { readChatReply } from './chat-reply.js';
import { keyFor, type EndpointKeys } from './endpoint.js';
import type { Asked } from './failures.js';
import { readGeminiReply } from './gemini-reply.js';
import { readReply, type ReadReply } from './read-reply.js';
import { readResponsesReply } from './responses-reply.js';

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
    const { api, baseUrl, model, messages, tools, timeoutMs } = request;
    const key = keyFor(keys[api], baseUrl);
    const texts = messages
      .flatMap(({ content }) => partsOf(content))
      .flatMap((part) => (part.type === 'text' ? [part.text] : []));
    const asked: Asked = {
      api,
      baseUrl,
      model,
      timeoutMs,
      keySent: key !== undefined,
      secrets: [keys[api].apiKey ?? '', ...texts],
      images: messages.some(hasImage),
      tools: tools !== undefined,
    };
    const sent = { path: requestPath(request), body: requestBody(request), key };
    const at = new Date().toISOString();
    let exchange: Exchange = { at, request: sha256(JSON.stringify(sent.body)) };
    try {
      const came = await callEndpoint(asked, sent, signal, (reply) => {
        exchange = { ...exchange, ...reply };
      });
      const { id, ...reply } = readReply(came, asked, readers[api]);
      return { ...reply, exchange: { ...exchange, ...(id !== undefined && { id }) } };
    } catch (error) {
      if (!(error instanceof PortFailure)) throw error;
      throw new PortFailure(error.type, error.message, { ...error.options, exchange });
    }
  },
});
