import type { ServerResponse } from 'node:http';
import { afterEach } from 'vitest';
import type { ModelReply, ModelRequest } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';
import { createModel } from '../../../worker/adapters/model-apis/model.js';
import { startHttpEndpoint, type HttpEndpoint } from '../fakes/http-endpoint.js';
import { keysForAll } from './keys-for-all.js';

// Chat completions from an endpoint that answers as a test says.

export const apiKey = 'sk-very-secret-0123456789';
export const prompt = 'Which of the four tracks did the authors of the paper enter?';

interface ChatEndpoint {
  /** Starts it, and returns its base URL. It ends with the test. */
  readonly serve: (reply: (response: ServerResponse) => void) => Promise<string>;
  readonly received: () => HttpEndpoint['received'];
  readonly close: () => Promise<void>;
}

export function chatEndpoint(): ChatEndpoint {
  let endpoint: HttpEndpoint | undefined;
  const close = async (): Promise<void> => {
    await endpoint?.close();
    endpoint = undefined;
  };
  afterEach(close);
  return {
    serve: async (reply) => {
      endpoint = await startHttpEndpoint(reply);
      return `${endpoint.url}/v1`;
    },
    received: () => endpoint?.received ?? [],
    close,
  };
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

export const request = (baseUrl: string, changes: Partial<ModelRequest> = {}): ModelRequest => ({
  ...defaultRunConfig.model,
  baseUrl,
  model: 'test-model',
  messages: [{ role: 'user', content: prompt }],
  timeoutMs: 30_000,
  ...changes,
});

export const complete = (
  baseUrl: string,
  changes: Partial<ModelRequest> = {},
  keyIsFor = baseUrl,
): Promise<ModelReply> =>
  createModel(keysForAll({ apiKey, keyIsFor })).complete(
    request(baseUrl, changes),
    new AbortController().signal,
  );

export async function failureOf(call: Promise<unknown>): Promise<PortFailure> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof PortFailure))
    throw new Error(`expected a PortFailure, got ${String(error)}`);
  return error;
}

export const completion = (message: unknown, finishReason = 'stop'): unknown => ({
  model: 'test-model-2026',
  choices: [{ index: 0, finish_reason: finishReason, message }],
  usage: {
    prompt_tokens: 120,
    completion_tokens: 7,
    prompt_tokens_details: { cached_tokens: 64 },
  },
});
export const call = (name: string, args: unknown): unknown => ({
  id: 'call_1',
  type: 'function',
  function: { name, arguments: args },
});
export const answer = completion({ role: 'assistant', content: '[Thought]: done' });
export const error = (code: string | number | null, message: string, type?: string): unknown => ({
  error: { code, message, type: type ?? null, param: null },
});
