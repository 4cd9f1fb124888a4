import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallStage, ModelReply, ModelRequest } from '../../../activities/ports/model.js';
import type { BatchedCall } from '../../../domain/runs/batches.js';
import { contentText } from '../../../domain/models/chat-message.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';
import { warmFirst } from '../../../worker/model-calls/chain.js';

const system = (text: string): ModelRequest['messages'][number] => ({
  role: 'system',
  content: text.repeat(1400),
});
const tools = [
  { name: 'look', description: 'looks'.repeat(1000), parameters: { type: 'object' as const } },
] as unknown as NonNullable<ModelRequest['tools']>;

const request = (question: string, changes: Partial<ModelRequest> = {}): ModelRequest => ({
  ...defaultRunConfig.model,
  baseUrl: 'http://127.0.0.1:1/v1',
  model: 'm',
  price: { input: 1, output: 1, cachedInput: 0.1 },
  messages: [system('one '), { role: 'user', content: question }],
  ...changes,
});

interface SentCall {
  readonly question: string;
  readonly answer: () => void;
  readonly fail: () => void;
}

/** Calls through the link, each sent one held until the test ends it. */
function calls(longestWaitMs?: number) {
  const sent: SentCall[] = [];
  const port = warmFirst(longestWaitMs)({
    complete: ({ messages }, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        const question = contentText(messages.at(-1)?.content ?? '');
        sent.push({
          question,
          answer: () => resolve({ content: question } as ModelReply),
          fail: () => reject(new Error(question)),
        });
      }),
  });
  return {
    sent: () => sent.map(({ question }) => question),
    at: (index: number): SentCall => sent[index] as SentCall,
    ask: (
      question: string,
      changes?: Partial<ModelRequest>,
      {
        signal = new AbortController().signal,
        report,
      }: { readonly signal?: AbortSignal; readonly report?: (stage: CallStage) => void } = {},
    ): Promise<ModelReply> => {
      const reply = port.complete(request(question, changes), signal, report);
      reply.catch(() => undefined);
      return reply;
    },
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('calls with one prefix', () => {
  it('wait until the first one is answered, and then wait no more', async () => {
    const { ask, sent, at } = calls();
    const stages: CallStage[] = [];
    const replies = [
      ask('a'),
      ask('b', {}, { report: (stage) => stages.push(stage) }),
      ask('c', { run: 'other' as NonNullable<ModelRequest['run']>, temperature: 0 }),
    ];
    await settled();
    expect(sent()).toEqual(['a']);
    expect(stages).toEqual(['waits for its turn']);
    at(0).answer();
    await settled();
    expect(sent()).toEqual(['a', 'b', 'c']);
    void ask('d');
    expect(sent()).toEqual(['a', 'b', 'c', 'd']);
    at(1).answer();
    at(2).answer();
    expect((await Promise.all(replies)).map(({ content }) => content)).toEqual(['a', 'b', 'c']);
  });

  it('let another one go ahead where the first one fails', async () => {
    const { ask, sent, at } = calls();
    const failed = ask('a');
    void ask('b');
    void ask('c');
    at(0).fail();
    await expect(failed).rejects.toThrow('a');
    await settled();
    expect(sent()).toEqual(['a', 'b']);
    at(1).answer();
    await settled();
    expect(sent()).toEqual(['a', 'b', 'c']);
  });

  it('let another one go ahead where the first one is aborted', async () => {
    const { ask, sent } = calls();
    const first = new AbortController();
    const aborted = ask('a', {}, { signal: first.signal });
    void ask('b');
    await settled();
    first.abort(new Error('stop'));
    await expect(aborted).rejects.toThrow('stop');
    await settled();
    expect(sent()).toEqual(['a', 'b']);
  });

  it('reject at once where they are aborted while they wait', async () => {
    const { ask, sent, at } = calls();
    void ask('a');
    const waiting = new AbortController();
    const aborted = ask('b', {}, { signal: waiting.signal });
    const late = ask('c', {}, { signal: AbortSignal.abort(new Error('late')) });
    waiting.abort(new Error('stop'));
    await expect(aborted).rejects.toThrow('stop');
    await expect(late).rejects.toThrow('late');
    at(0).answer();
    await settled();
    expect(sent()).toEqual(['a']);
  });
});

describe('as time passes', () => {
  let nowMs = 1;
  const pass = (ms: number): Promise<unknown> => {
    nowMs += ms;
    return vi.advanceTimersByTimeAsync(ms);
  };
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('a call waits no longer than its activity allows', async () => {
    const { ask, sent } = calls();
    void ask('a');
    void ask('b');
    await pass(119_000);
    expect(sent()).toEqual(['a']);
    await pass(1_001);
    expect(sent()).toEqual(['a', 'b']);
  });

  it('a prefix that was not used for five minutes is first sent by one call again', async () => {
    const { ask, sent, at } = calls();
    void ask('a');
    at(0).answer();
    await settled();
    await pass(4 * 60_000);
    void ask('b');
    await pass(4 * 60_000);
    void ask('c');
    expect(sent()).toEqual(['a', 'b', 'c']);
    await pass(5 * 60_000 + 1);
    void ask('d');
    void ask('e');
    await settled();
    expect(sent()).toEqual(['a', 'b', 'c', 'd']);
  });
});

type Changes = Partial<ModelRequest>;
const other: Changes = { messages: [system('two '), { role: 'user', content: 'b' }] };
const anthropic: Changes = { api: 'anthropic', price: null };
const late = (question: string): Changes => ({
  messages: [
    { role: 'system', content: 'brief' },
    { role: 'user', content: 'Schema. '.repeat(600) + question },
  ],
});

it.each<[string, Changes, Changes]>([
  ['another prefix', {}, other],
  ['another model', {}, { model: 'n' }],
  ['another address', {}, { baseUrl: 'http://127.0.0.1:2/v1' }],
  ['other tools', {}, { tools }],
  ['a short prompt', { messages: [] }, { messages: [] }],
  [
    'no price for cached tokens',
    { price: { input: 1, output: 1 } },
    { price: { input: 1, output: 1 } },
  ],
  ['an unknown price', { price: null }, { price: null }],
  ['a probe', {}, { isProbe: true }],
  ['a call in a batch', {}, { batched: {} as BatchedCall }],
  ['the option that turns it off', {}, { warmFirst: false }],
  [
    'a prefix that Anthropic is not told to cache',
    { ...anthropic, ...late('a') },
    { ...anthropic, ...late('b') },
  ],
  [
    'marks that are turned off',
    { ...anthropic, extraBody: { cache_control: null } },
    { ...anthropic, extraBody: { cache_control: null } },
  ],
])('nothing waits for %s', async (_, first, second) => {
  const { ask, sent } = calls();
  void ask('a', first);
  void ask('b', second);
  await settled();
  expect(sent()).toHaveLength(2);
});

it.each<[string, Changes, Changes]>([
  ['the messages begin alike, in whatever roles', late('a'), late('b')],
  ['the tools alone are long enough', { tools, messages: [] }, { tools, messages: [system('x')] }],
  ['the instructions of Anthropic are the same', anthropic, anthropic],
])('calls wait where %s', async (_, first, second) => {
  const { ask, sent } = calls();
  void ask('a', first);
  void ask('b', second);
  await settled();
  expect(sent()).toHaveLength(1);
});
