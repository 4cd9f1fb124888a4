import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenAI } from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { probeMessage } from '../../domain/runs/probe-requests.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import {
  faultNames,
  type FaultName,
  type SimulatorSettings,
} from '../../simulator/simulator-options.js';

const script: SimulatorSettings['script'] = {
  questions: [{ question: 'How?', answer: { thought: 'So.', value: 1 } }],
};

let folder = '';
let model: SimulatedModel | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'simulated-model-'));
});
afterEach(async () => {
  await model?.close();
  model = undefined;
  rmSync(folder, { recursive: true });
});

async function start(options: SimulatorSettings = {}): Promise<SimulatedModel> {
  model = await startSimulatedModel({ script, ...options });
  return model;
}

const ask = (
  { url }: Pick<SimulatedModel, 'url'>,
  question: string,
  signal?: AbortSignal,
): Promise<Response> =>
  fetch(`${url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({
      model: 'any-name',
      messages: [{ role: 'user', content: `[Question]: ${question}\n[Answer Format]: x` }],
    }),
    ...(signal && { signal }),
  });

describe('POST /v1/chat/completions', () => {
  it('answers a probe whatever its script, and counts it by itself too', async () => {
    const { url, stats } = await start();
    const client = new OpenAI({ baseURL: url, apiKey: 'none', maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: probeMessage }];
    const reply = await client.chat.completions.create({ model: 'm', messages });
    expect(reply.choices[0]?.message.content).toBe('OK');
    expect(stats()).toMatchObject({ received: 1, completed: 1, probes: 1 });
  });

  it('calls the tools that are offered, turn after turn', async () => {
    const { url } = await start({
      script: {
        questions: [
          {
            question: 'How?',
            steps: [{ thought: 'I look.', sql: "SELECT 'é' AS e LIMIT 1" }],
            answer: { thought: 'So.', value: ['{{0.e}}', 2, 0.5, null, true] },
          },
        ],
      },
    });
    const client = new OpenAI({ baseURL: url, apiKey: 'none', maxRetries: 0 });
    const tools = ['RetrieveFromDatabase', 'GenerateAnswer'].map((name) => ({
      type: 'function' as const,
      function: { name, parameters: { type: 'object' } },
    }));
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'user', content: '[Question]: How?\n[Answer Format]: y' },
    ];
    const first = await client.chat.completions.create({ model: 'm', messages, tools });
    const call = first.choices[0]?.message.tool_calls?.[0];
    expect(first.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'I look.' },
    });
    expect(call).toMatchObject({
      type: 'function',
      function: {
        name: 'RetrieveFromDatabase',
        arguments: `{"sql": "SELECT 'é' AS e LIMIT 1"}`,
      },
    });
    const second = await client.chat.completions.create({
      model: 'm',
      tools,
      messages: [
        ...messages,
        { role: 'assistant', content: 'I look.', tool_calls: call ? [call] : [] },
        { role: 'tool', tool_call_id: call?.id ?? '', content: '{"e":"é"}\n' },
      ],
    });
    expect(second.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { name: 'GenerateAnswer', arguments: '{"answer": ["é", 2, 0.5, null, true]}' },
    });
  });

  it('answers the openai library with the requested model name, and reports that it is simulated', async () => {
    const { url } = await start();
    const client = new OpenAI({ baseURL: url, apiKey: 'none', maxRetries: 0 });
    const reply = await client.chat.completions.create({
      model: 'any-name',
      messages: [
        { role: 'system', content: 'x'.repeat(40) },
        { role: 'user', content: '[Question]: How?\n[Answer Format]: y' },
        { role: 'assistant', content: 'early' },
        { role: 'user', content: [{ type: 'text', text: 'late' }] },
      ],
    });
    expect(reply).toMatchObject({
      model: 'any-name',
      system_fingerprint: 'simulated',
      choices: [
        {
          message: { content: '[Thought]: So.\n[Action]:\nGenerateAnswer(answer=1)' },
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 22,
        completion_tokens: 13,
        total_tokens: 35,
        prompt_tokens_details: { cached_tokens: 19, cache_write_tokens: 0 },
      },
    });
  });

  it('bills a share of the prompt tokens outside of the cache as written to it', async () => {
    const reply: unknown = await (await ask(await start({ cacheWrites: 0.5 }), 'How?')).json();
    expect(reply).toMatchObject({
      usage: {
        prompt_tokens: 9,
        prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 5 },
      },
    });
  });

  it.each([
    ['a question without a script', { messages: [{ role: 'user', content: 'Hello' }] }, 'no reply'],
    ['no messages', {}, 'messages'],
  ])('refuses %s with a reason', async (_, body, reason) => {
    const { url } = await start();
    const reply = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', ...body }),
    });
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain(reason);
  });

  it('refuses a request above its limit and sends Retry-After', async () => {
    const limited = await start({ requestsPerMinute: 6 });
    const first = await ask(limited, 'How?');
    expect(first.status).toBe(200);
    expect(first.headers.get('x-ratelimit-limit-requests')).toBe('6');
    const second = await ask(limited, 'How?');
    expect(second.status).toBe(429);
    expect(second.headers.get('retry-after')).toBe('10');
    expect(Number(second.headers.get('retry-after-ms'))).toBeGreaterThan(9000);
    expect(second.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(limited.stats()).toMatchObject({ received: 2, completed: 1, refused: 1 });
  });

  it('names the exceeded limit, and sends only the configured headers about limits', async () => {
    const refusal = async (limitHeaders: 'all' | 'retry-after' | 'none'): Promise<Response> => {
      const limited = await start({ tokensPerMinute: 1, limitHeaders });
      await ask(limited, 'How?');
      return ask(limited, 'How?');
    };
    const said = ({ headers }: Response): readonly string[] =>
      ['x-ratelimit-limit-tokens', 'retry-after'].filter((name) => headers.has(name));
    const [all, later, none] = await Promise.all(
      (['all', 'retry-after', 'none'] as const).map(refusal),
    );
    expect(await all?.json()).toMatchObject({ error: { type: 'tokens' } });
    expect([all, later, none].map((reply) => reply && said(reply))).toEqual([
      ['x-ratelimit-limit-tokens', 'retry-after'],
      ['retry-after'],
      [],
    ]);
  });

  it('states a limit only in the message of a refusal', async () => {
    const limited = await start({
      requestsPerMinute: 200,
      burstSeconds: 0.1,
      limitHeaders: 'none',
      limitInBody: true,
    });
    await ask(limited, 'How?');
    const refusal = await ask(limited, 'How?');
    expect(refusal.headers.has('retry-after')).toBe(false);
    expect(await refusal.json()).toMatchObject({
      error: {
        type: 'requests',
        message: expect.stringMatching(
          /RPM\): Limit 200, Used 200, Requested 1\. Please try again in \d+ms\./,
        ) as unknown,
      },
    });
  });

  it('waits its latency before it replies', async () => {
    expect((await ask(await start({ latencyMs: 1 }), 'How?')).status).toBe(200);
  });

  it('counts a client that disconnects before the reply', async () => {
    const slow = await start({ latencyMs: 3_600_000 });
    const leaving = new AbortController();
    const call = ask(slow, 'How?', leaving.signal);
    await expect.poll(() => slow.stats().inFlight).toBe(1);
    leaving.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => slow.stats()).toMatchObject({ abandoned: 1, inFlight: 0 });
  });
});

const replies: Record<FaultName, (reply: Promise<Response>) => Promise<void>> = {
  '429': async (reply) => {
    expect((await reply).status).toBe(429);
    expect((await reply).headers.get('retry-after-ms')).toBe('1000');
  },
  '500': async (reply) => expect((await reply).status).toBe(500),
  '503': async (reply) => {
    expect((await reply).status).toBe(503);
    expect((await reply).headers.get('retry-after')).toBe('1');
  },
  reset: async (reply) => expect(reply).rejects.toThrow(),
  hang: async (reply) => {
    await expect.poll(() => model?.stats().inFlight).toBe(1);
    const soon = new Promise((resolve) => setTimeout(resolve, 20, 'nothing yet'));
    expect(await Promise.race([reply, soon])).toBe('nothing yet');
    await model?.close();
    await expect(reply).rejects.toThrow();
  },
  'malformed-json': async (reply) => expect((await reply).json()).rejects.toThrow(),
  html: async (reply) => expect(await (await reply).text()).toContain('<html>'),
  'empty-content': async (reply) =>
    expect(await (await reply).json()).toMatchObject({ choices: [{ message: { content: '' } }] }),
  'null-content': async (reply) =>
    expect(await (await reply).json()).toMatchObject({ choices: [{ message: { content: null } }] }),
};

describe('a fault', () => {
  it.each(faultNames)('is seen by the client: %s', async (fault) => {
    const faulty = await start({ faults: { [fault]: 1 } });
    await replies[fault](ask(faulty, 'How?'));
    await expect
      .poll(() => faulty.stats())
      .toMatchObject(fault === '429' ? { refused: 1, completed: 0 } : { failed: 1, completed: 0 });
  });

  it('meets the same requests in any order of arrival', async () => {
    const questions = Array.from({ length: 40 }, (_, n) => `Question ${n}?`);
    const outcomes = async (order: readonly string[]): Promise<Record<string, unknown>> => {
      const one = await start({
        seed: 7,
        faults: { '500': 0.4 },
        script: { generated: { turns: 2 } },
      });
      const statuses = await Promise.all(
        order.map(async (question): Promise<[string, number[]]> => {
          const first = await ask(one, question);
          return [question, [first.status, (await ask(one, question)).status]];
        }),
      );
      await one.close();
      model = undefined;
      return Object.fromEntries(statuses);
    };
    const forwards = await outcomes(questions);
    expect(await outcomes(questions.toReversed())).toEqual(forwards);
    expect(new Set(Object.values(forwards).flat())).toEqual(new Set([200, 500]));
  });
});

describe('the counts', () => {
  it('are kept by question, with the calls paid for twice', async () => {
    const { url, stats } = await start();
    await Promise.all([ask({ url }, 'How?'), ask({ url }, 'How?'), ask({ url }, 'Unknown?')]);
    const counted = await (await fetch(new URL('/simulator/stats', url))).json();
    expect(counted).toEqual(stats());
    expect(counted).toMatchObject({
      received: 3,
      completed: 2,
      distinctCompleted: 1,
      failed: 1,
      inFlight: 0,
      perQuestion: {
        'How?': { received: 2, completed: 2 },
        'Unknown?': { received: 1, failed: 1 },
      },
    });
  });

  it('are on disk before the client gets its reply', async () => {
    const log = join(folder, 'calls.jsonl');
    await ask(await start({ log }), 'How?');
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { event: 'received', number: 1, question: 'How?' },
      { event: 'replied', number: 1, question: 'How?', end: 'completed', detail: 'completion' },
    ]);
  });
});

describe('starting', () => {
  it('reads a script from a file', async () => {
    const path = join(folder, 'script.json');
    writeFileSync(path, JSON.stringify(script));
    expect((await ask(await start({ script: path }), 'How?')).status).toBe(200);
  });

  it.each([
    ['that is missing', undefined],
    ['that is no JSON', '{"questions": ['],
    ['with an unknown key', '{"question": []}'],
  ])('names a script %s', async (_, text) => {
    const path = join(folder, 'script.json');
    if (text !== undefined) writeFileSync(path, text);
    await expect(start({ script: path })).rejects.toThrow(path);
  });

  it('names a log that cannot be written', async () => {
    const log = join(folder, 'missing', 'calls.jsonl');
    await expect(start({ log })).rejects.toThrow(log);
  });

  it('listens on this machine only', async () => {
    expect((await start()).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  });
});

describe('the other endpoints', () => {
  it('list the configured models', async () => {
    const { url } = await start({ models: ['a', 'b'] });
    const client = new OpenAI({ baseURL: url, apiKey: 'none' });
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('embed texts that share words near each other, in either encoding', async () => {
    const { url, stats } = await start();
    const client = new OpenAI({ baseURL: url, apiKey: 'none' });
    const input = ['rate limits of models', 'the rate limits', 'kittens'];
    const create = async (encoding?: 'float'): Promise<number[][]> => {
      const reply = await client.embeddings.create({
        model: 'e',
        input,
        dimensions: 256,
        ...(encoding && { encoding_format: encoding }),
      });
      return reply.data.map(({ embedding }) => [...embedding]);
    };
    const decoded = await create();
    expect(decoded).toEqual(await create('float'));
    const [a = [], b = [], c = []] = decoded;
    const dot = (x: number[], y: number[]): number =>
      x.reduce((sum, v, i) => sum + v * (y[i] ?? 0), 0);
    expect(a).toHaveLength(256);
    expect(dot(a, a)).toBeCloseTo(1);
    expect(dot(a, b)).toBeGreaterThan(dot(a, c));
    expect(stats().embeddings).toBe(2);
  });
});
