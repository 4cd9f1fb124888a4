import type { ModelPort } from '../../activities/ports/model.js';
import { chatBody } from '../../domain/models/chat-body.js';
import { hasImage, partsOf } from '../../domain/models/chat-message.js';
import { callEndpoint } from './openai-call.js';
import { readCompletion } from './openai-completion.js';
import { openAiEndpoint, type EndpointKey, type OpenAiEndpoint } from './openai-endpoint.js';
import type { Asked } from './openai-failures.js';

/** Chat completions of any OpenAI-compatible endpoint, tried once each. The key goes to its own base URL only. */
export function createOpenAiModel(key: EndpointKey): ModelPort {
  const endpoints = new Map<string, OpenAiEndpoint>();

  function endpointAt(baseUrl: string): OpenAiEndpoint {
    const known = endpoints.get(baseUrl);
    if (known) return known;
    const fresh = openAiEndpoint(key, baseUrl);
    endpoints.set(baseUrl, fresh);
    return fresh;
  }

  return {
    complete: async (request, signal) => {
      const { baseUrl, model, messages, tools, timeoutMs } = request;
      const { client, keySent } = endpointAt(baseUrl);
      const texts = messages
        .flatMap(({ content }) => partsOf(content))
        .flatMap((part) => (part.type === 'text' ? [part.text] : []));
      const asked: Asked = {
        baseUrl,
        model,
        timeoutMs,
        keySent,
        secrets: [key.apiKey ?? '', ...texts],
        images: messages.some(hasImage),
        tools: tools !== undefined,
      };
      const body = chatBody(request);
      const reply = await callEndpoint(asked, signal, (options) =>
        // Not `chat.completions.create`: its type knows OpenAI's parameters only.
        client.post('/chat/completions', { ...options, body }).asResponse(),
      );
      return readCompletion(reply, asked);
    },
  };
}
