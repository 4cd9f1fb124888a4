import type { ModelPort } from '../../activities/ports/model.js';
import { callEndpoint } from './openai-call.js';
import { readCompletion } from './openai-completion.js';
import { openAiEndpoint, type EndpointKey } from './openai-endpoint.js';
import type { Asked } from './openai-failures.js';

/** Chat completions of any OpenAI-compatible endpoint, tried once each. The key goes to its own base URL only. */
export function createOpenAiModel(key: EndpointKey): ModelPort {
  return {
    complete: async (request, signal) => {
      const { baseUrl, model, messages, timeoutMs } = request;
      const { client, keySent } = openAiEndpoint(key, baseUrl);
      const secrets = [key.apiKey ?? '', ...messages.map(({ content }) => content)];
      const asked: Asked = { baseUrl, model, timeoutMs, keySent, secrets };
      const { body, headers } = await callEndpoint(asked, signal, (options) =>
        client.chat.completions
          .create(
            {
              model,
              messages: [...messages],
              temperature: request.temperature,
              top_p: request.topP,
              ...tokenLimit(baseUrl, request.maxTokens),
            },
            options,
          )
          .asResponse(),
      );
      return readCompletion(body, headers, asked);
    },
  };
}

/** OpenAI's reasoning models refuse `max_tokens`; many other servers know nothing else. */
function tokenLimit(baseUrl: string, maxTokens: number): Readonly<Record<string, number>> {
  return /(^|\.)openai\.(azure\.)?com$/.test(new URL(baseUrl).hostname)
    ? { max_completion_tokens: maxTokens }
    : { max_tokens: maxTokens };
}
