import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelReply } from '../../../../activities/ports/model.js';
import { parseReply } from '../../../../domain/agent/actions/parse-reply.js';
import { apiFacts } from '../../../../domain/model-api.js';
import { defaultRunConfig } from '../../../../domain/runs/run-config.js';
import { createModel } from '../../../../worker/adapters/model-apis/model.js';
import { startHttpEndpoint, type HttpEndpoint } from '../../../support/fakes/http-endpoint.js';
import { keysForAll } from '../../../support/model-calls/keys-for-all.js';
import { completion, toolReplies } from '../../../support/model-apis/chat-answers.js';
import type { ProviderAnswer } from '../../../support/model-apis/provider-answer.js';
import { providerAnswers } from '../../../support/model-apis/provider-answers.js';

let endpoint: HttpEndpoint;
let next: Pick<ProviderAnswer, 'status' | 'headers' | 'body'>;
beforeAll(async () => {
  endpoint = await startHttpEndpoint((response) => {
    const { status, headers, body } = next;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
});
afterAll(() => endpoint.close());

function ask(answer: Omit<ProviderAnswer, 'name' | 'outcome'>, tools = false): Promise<ModelReply> {
  next = answer;
  const { api } = answer;
  const isOpenAi = apiFacts[api].addressVariable === 'OPENAI_BASE_URL';
  const baseUrl = isOpenAi ? `${endpoint.url}/v1` : endpoint.url;
  return createModel(keysForAll({ apiKey: 'sk-1', keyIsFor: baseUrl })).complete(
    {
      ...defaultRunConfig.model,
      ...{ api, baseUrl, model: 'odd-model', timeoutMs: 30_000 },
      messages: [{ role: 'user', content: 'Which?' }],
      ...(tools && { tools: [{ name: 'look', description: '', parameters: {} }] }),
    },
    new AbortController().signal,
  );
}

describe('an answer that carries a bill', () => {
  it.each(providerAnswers.filter(({ finish }) => finish !== null))(
    'is a reply with its usage: $name',
    async (answer) => {
      const { finishReason, tokens } = await ask(answer);
      expect(finishReason).toBe(answer.finish);
      expect([tokens?.prompt, tokens?.completion]).toEqual(answer.billed);
    },
  );

  it.each(providerAnswers.filter(({ finish }) => finish === null))(
    'is none otherwise: $name',
    async (answer) => {
      await expect(ask(answer)).rejects.toMatchObject({ name: 'PortFailure' });
    },
  );

  it('tells what was written to a cache, and for how long', async () => {
    const written = async (name: string): Promise<unknown> => {
      const answer = providerAnswers.find((one) => one.name === name);
      const { tokens } = await ask(answer as ProviderAnswer);
      return [tokens?.cached, tokens?.cacheWritten, tokens?.cacheWrittenHour];
    };
    expect(await written('chat: written to the cache')).toEqual([4, 10, undefined]);
    expect(await written('responses: written to the cache')).toEqual([2, 8, undefined]);
    expect(await written('anthropic: written to both caches')).toEqual([50, 10, 20]);
  });

  it('tells which upstream answered, in which tier', async () => {
    const body = completion({ content: 'yes' }, 'stop', {
      provider: 'Together',
      system_fingerprint: 'fp_1',
      service_tier: 'flex',
    });
    const reply = await ask({ api: 'chat', status: 200, body, finish: 'stop', billed: null });
    expect(reply.servedBy).toEqual({
      provider: 'Together',
      systemFingerprint: 'fp_1',
      serviceTier: 'flex',
    });
  });

  it.each(['I cannot help with that.', ''])('keeps the words of a refusal: %j', async (refusal) => {
    const body = completion({ content: null, refusal }, 'refusal');
    const reply = await ask({ api: 'chat', status: 200, body, finish: 'refused', billed: null });
    expect(reply).toMatchObject({ content: refusal, finishReason: 'refused' });
  });
});

describe('tool calls', () => {
  it.each(toolReplies)('are read: %s', async (_, toolCalls, expected) => {
    const body = completion({ content: null, tool_calls: toolCalls }, 'tool_calls');
    const reply = await ask({ api: 'chat', status: 200, body, finish: 'stop', billed: null }, true);
    const read = parseReply(
      reply.content,
      {
        actions: ['RetrieveFromDatabase', 'GenerateAnswer'],
        format: 'tools',
        protocol: 'react',
        strictness: 'tolerant',
      },
      reply.toolCalls,
    );
    const kinds =
      read.kind === 'error'
        ? ['error']
        : (read.calls ?? [{ kind: 'action' as const, action: read.action }]).map((call) =>
            call.kind === 'error' ? 'error' : call.action.kind,
          );
    expect(kinds).toEqual(expected);
  });
});
