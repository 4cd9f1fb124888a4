import { describe, expect, it } from 'vitest';
import { inspectEnding, inspectSample } from '../../../../client/views/exports/inspect-log.js';
import { actionFormatNames } from '../../../../domain/agent/actions/action.js';
import { methodNames } from '../../../../domain/agent/methods.js';
import type { Outcome } from '../../../../domain/agent/question-result.js';
import { recordedQuestion } from '../../../support/runs/recorded-question.js';
import { hostileText } from '../../../support/runs/recorded-run.js';

/** The sample after a round trip through JSON. */
const sampleOf = (...question: Parameters<typeof recordedQuestion>) =>
  JSON.parse(JSON.stringify(inspectSample(recordedQuestion(...question)).sample)) as {
    readonly messages: readonly Record<string, unknown>[];
    readonly events: readonly Record<string, unknown>[];
    readonly events_data: { readonly messages: readonly Record<string, unknown>[] };
    readonly [name: string]: unknown;
  };

describe('a question as a sample', () => {
  it('is a conversation in which actions are tool calls', () => {
    const { messages } = sampleOf('right');
    expect(messages.map(({ role }) => role)).toEqual([
      ...['system', 'user'],
      ...['assistant', 'tool'],
      // A turn with an unreadable reply, and the error message that the model got.
      ...['assistant', 'user'],
      ...['assistant', 'tool'],
    ]);
    expect(messages[2]).toMatchObject({
      content: 'thought 1',
      tool_calls: [
        {
          id: 'turn_1',
          function: 'RetrieveFromDatabase',
          arguments: { sql: 'SELECT count(*) FROM turns' },
        },
      ],
    });
    expect(messages[3]).toMatchObject({
      tool_call_id: 'turn_1',
      content: expect.stringContaining('count\n20') as string,
    });
  });

  it('has the messages and the reply of each model call, and stores each message once', () => {
    const { events, events_data } = sampleOf('right');
    const calls = events.filter(({ event }) => event === 'model');
    expect(calls.map(({ input_refs }) => input_refs)).toEqual([[[0, 2]], [[0, 4]], [[0, 6]]]);
    expect(events_data.messages).toHaveLength(6);
    expect(calls[0]).toMatchObject({
      timestamp: '2026-01-01T00:00:10.000Z',
      completed: '2026-01-01T00:00:14.000Z',
      working_start: 1,
      working_time: 4,
      model: 'a-model',
      output: {
        model: 'a-model-2026',
        choices: [{ message: { role: 'assistant', content: 'reply 1' }, stop_reason: 'stop' }],
        usage: {
          input_tokens: 60,
          input_tokens_cache_read: 40,
          input_tokens_cache_write: 0,
          output_tokens: 10,
          total_tokens: 110,
          total_cost: 0.001,
        },
      },
    });
  });

  it('sends no more turns than the window holds', () => {
    const { events, events_data } = sampleOf('right', { config: { windowSize: 1 } });
    const last = events.findLast(({ event }) => event === 'model');
    expect(last?.['input_refs']).toEqual([
      [0, 2],
      [4, 6],
    ]);
    expect(events_data.messages).toHaveLength(6);
  });

  it('has the arguments and the result of each tool call', () => {
    const tools = sampleOf('right').events.filter(({ event }) => event === 'tool');
    expect(tools).toEqual([
      expect.objectContaining({
        id: 'turn_1',
        function: 'RetrieveFromDatabase',
        result: 'count\n20',
        working_time: 2,
        view: {
          title: 'RetrieveFromDatabase',
          format: 'markdown',
          content: '```sql\nSELECT count(*) FROM turns\n```',
        },
      }),
    ]);
  });

  it('has its answer, gold, score and usage', () => {
    expect(sampleOf('right')).toMatchObject({
      id: 'right',
      epoch: 1,
      input: 'How many turns?',
      target: ['20'],
      output: { completion: '20' },
      scores: { score: { value: 1, answer: '20' } },
      model_usage: { 'a-model-2026': { total_tokens: 330, total_cost: 0.003 } },
      total_time: 29,
      working_time: 14,
      turn_count: 3,
      metadata: { outcome: 'answered', calls: 3, item: { tags: ['text', 'a,b'] } },
    });
  });

  it('has the reason instead of a score for an unscored answer', () => {
    const sample = sampleOf('unjudged');
    expect(sample).not.toHaveProperty('scores');
    expect(sample).toMatchObject({ metadata: { unscored: 'needs-judge' } });
    expect(sample.events.at(-1)).toMatchObject({ event: 'info', data: 'unscored (needs-judge)' });
    expect(sample.events[1]).toMatchObject({ event: 'model', cache: 'read' });
  });

  it('ends with the reply whose action was not finished, and the error', () => {
    const { messages, events, error } = sampleOf('failed');
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant']);
    expect(error).toMatchObject({ message: 'ModelUnavailable: no route to host' });
    expect(events.map(({ event }) => event)).toEqual(['sample_init', 'model', 'error', 'info']);
  });

  it('keeps any text as it was', () => {
    const { messages, input, events } = sampleOf('hostile');
    expect(input).toBe(hostileText);
    expect(messages[2]).toMatchObject({ tool_calls: [{ arguments: { sql: hostileText } }] });
    expect(events[1]).toMatchObject({
      output: {
        choices: [
          {
            message: {
              content: [
                { type: 'reasoning', reasoning: hostileText },
                { type: 'text', text: hostileText },
              ],
            },
          },
        ],
      },
    });
  });

  it('has a short summary', () => {
    const question = recordedQuestion('right');
    const long = { ...question, item: { ...question.item, question: 'x'.repeat(5000) } };
    const { summary } = inspectSample(long);
    expect(summary['input']).toHaveLength(1000);
    expect(summary).toMatchObject({ id: 'right', completed: true, message_count: 8 });
    expect(JSON.stringify(summary).length).toBeLessThan(2500);
  });
});

describe('a question that was stopped', () => {
  it.each<[Outcome, object]>([
    [{ kind: 'answered' }, {}],
    [{ kind: 'abstained' }, {}],
    [{ kind: 'unparseable', lastError: 'no' }, {}],
    [{ kind: 'turn-limit', maxTurns: 7 }, { limit: { type: 'turn', limit: 7 } }],
    [{ kind: 'context-overflow', message: 'no' }, { limit: { type: 'context', limit: 300 } }],
    [{ kind: 'budget-stop' }, { limit: { type: 'cost', limit: 0.5 } }],
    [{ kind: 'deadline' }, { limit: { type: 'time', limit: 1.5 } }],
    [{ kind: 'cancelled' }, { limit: { type: 'operator', limit: 1 } }],
    [
      { kind: 'infra-error', failure: 'Unknown', message: 'm' },
      { error: { message: 'Unknown: m', traceback: '', traceback_ansi: '' } },
    ],
  ])('%j is a limit or an error', (outcome, ending) => {
    const config = { questionBudget: { usd: 0.5, tokens: 9 }, questionTimeLimitMs: 1500 };
    expect(inspectEnding(recordedQuestion('right', { outcome, config }))).toEqual(ending);
  });
});

it.each(methodNames)('contains the replies of the model, with method %s', (method) => {
  const { messages, events } = sampleOf('right', { config: { method } });
  expect(messages.length).toBeGreaterThan(3);
  expect(events.filter(({ event }) => event === 'model')).toHaveLength(3);
});

it.each(actionFormatNames)('shows the same conversation with %s actions', (actionFormat) => {
  const roles = ({ messages }: ReturnType<typeof sampleOf>) => messages.map(({ role }) => role);
  expect(roles(sampleOf('right', { config: { actionFormat } }))).toEqual(roles(sampleOf('right')));
});
