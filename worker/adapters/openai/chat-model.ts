import { APIConnectionTimeoutError, APIError } from 'openai';
import type { ModelPort } from '../../../activities/ports/model.js';
import { hasImage, partsOf } from '../../../domain/models/chat-message.js';
import { chatBody } from '../../../domain/models/chat-request.js';
import { ReplyTooLong } from '../http/exchange.js';
import { readCompletion, type EndpointReply } from './completion.js';
import {
  largestReplyBytes,
  openAiEndpoint,
  type EndpointKey,
  type OpenAiEndpoint,
} from './endpoint.js';
import {
  connectionFailure,
  statusFailure,
  timeOutFailure,
  tooLongFailure,
  type Asked,
} from './failures.js';

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly timeout: number;
}

/**
 * Sends one request and reads the whole body of its reply. Throws PortFailure for an error status, a lost connection or a
 * time-out, and the signal's reason if that aborts.
 */
export async function callEndpoint(
  asked: Asked,
  signal: AbortSignal,
  send: (options: CallOptions) => Promise<Response>,
): Promise<EndpointReply> {
  // The library never removes its listener from a signal. With the caller's signal, each call would leak one.
  const over = new AbortController();
  const giveUp = (): void => over.abort();
  signal.addEventListener('abort', giveUp);
  try {
    signal.throwIfAborted();
    // The timeout includes the body, since `patientFetch` resolves after it has read the body.
    const response = await send({ signal: over.signal, timeout: asked.timeoutMs });
    return { body: await response.text(), headers: response.headers };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof APIConnectionTimeoutError) throw timeOutFailure(asked);
    if (hasStatus(error)) throw statusFailure(error, asked);
    if (error instanceof Error && error.cause instanceof ReplyTooLong)
      throw tooLongFailure(asked, largestReplyBytes);
    throw connectionFailure(error, asked);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

const hasStatus = (error: unknown): error is APIError =>
  error instanceof APIError && error.status !== undefined;

/** Chat completions of any OpenAI-compatible endpoint, without retries. The key is sent only to the base URL it is for. */
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
        // Not `chat.completions.create`, whose type has OpenAI's parameters only.
        client.post('/chat/completions', { ...options, body }).asResponse(),
      );
      return readCompletion(reply, asked);
    },
  };
}
