import { describe, expect, it } from 'vitest';
import { anyValueOfJson } from '../../../domain/agent/actions/action.js';
import { cutOffError } from '../../../domain/agent/actions/parse-error.js';
import type { ToolFacts } from '../../../domain/agent/observations/tool-outcome.js';
import { toolStatsOf, toolStatsSchema } from '../../../domain/agent/question-result.js';
import type { ReplyRecord } from '../../../domain/agent/turn-record.js';
import { runTools } from '../../../domain/runs/run-figures.js';
import { questionRemarks } from '../../../client/views/trajectory-text.js';
import { runToolsText } from '../../../client/views/run-text.js';

const reply = (turn: number, reading: ReplyRecord['reading']): ReplyRecord => ({
  turn,
  raw: '',
  reading,
  model: 'm',
  tokens: null,
  costUsd: null,
  cacheHit: false,
  retries: 0,
  startedAt: '',
  endedAt: '',
});

const sql = (turn: number, text: string, facts?: ToolFacts) => ({
  reply: reply(turn, {
    kind: 'action',
    thought: '',
    action: { kind: 'RetrieveFromDatabase', sql: text },
  }),
  observation: '',
  facts,
});

const unreadable = (turn: number, error: string) => ({
  reply: reply(turn, { kind: 'error', error }),
  observation: '',
});

const failed = (name: string, ms: number): ToolFacts => ({
  tool: 'sql',
  outcome: { kind: 'failed', class: name },
  ms,
});
const empty: ToolFacts = { tool: 'search', outcome: { kind: 'empty' }, ms: 8 };
const found = (cut: boolean, ms: number): ToolFacts => ({
  tool: 'sql',
  outcome: { kind: 'found', shown: 3, cut },
  ms,
});

const turns = [
  unreadable(1, 'Failed to parse a valid action from the response.'),
  unreadable(2, 'Failed to parse the parameters for action GenerateAnswer from the response. x.'),
  unreadable(3, 'Failed to parse a valid JSON dict from the response. x.'),
  sql(4, 'a', failed('binder', 2)),
  sql(5, 'a', failed('binder', 3)),
  sql(6, 'b', failed('timeout', 60)),
  sql(7, 'c', empty),
  sql(8, 'd', found(true, 4)),
  sql(9, 'd', found(false, 5)),
  unreadable(10, cutOffError),
];

describe('toolStatsOf', () => {
  it('counts what a question’s turns say', () => {
    expect(toolStatsOf(turns)).toEqual({
      sqlErrors: { binder: 2, timeout: 1 },
      searchErrors: {},
      imageErrors: {},
      calculationErrors: {},
      emptyResults: 1,
      repeatedQueries: 2,
      rowsCut: 1,
      sqlMs: { p50: 4, p95: 60, each: [2, 3, 60, 4, 5] },
      searchMs: { p50: 8, p95: 8, each: [8] },
      firstNonEmptyTurn: 8,
      firstFaultyTurn: 1,
      parseErrors: { 'no-action': 1, parameters: 1, json: 1, 'cut-off': 1 },
    });
  });

  it('has nothing to say of turns without tools', () => {
    expect(toolStatsOf([])).toMatchObject({ sqlMs: null, searchMs: null, firstNonEmptyTurn: null });
  });

  it('tells of an answer that was cut off, and of values in it that nothing shows', () => {
    const answer = { kind: 'GenerateAnswer', answer: anyValueOfJson([3, 9]) } as const;
    const last = reply(2, { kind: 'action', thought: '', action: answer });
    const seen = { ...sql(1, 'a', found(false, 1)), observation: 'there are 3' };
    const ended = (finishReason: 'length' | 'stop') =>
      toolStatsOf([seen, { reply: { ...last, finishReason }, observation: '[3, 9]' }]);
    expect(ended('length')).toMatchObject({ ungrounded: ['9'], answerCutOff: true });
    expect(ended('stop')).not.toHaveProperty('answerCutOff');
    const tools = runTools([ended('length'), ended('stop'), toolStatsOf(turns)]);
    expect(tools).toMatchObject({ ungroundedAnswers: 2, answersCutOff: 1 });
    expect(tools && runToolsText(tools).slice(-2)).toEqual([
      '2 answered with values that no observation shows',
      '1 with an answer that was cut off (--max-tokens)',
    ]);
  });

  it('counts the hits in other papers than the question names', () => {
    const outcome = { kind: 'found', shown: 3, cut: false, papers: ['a', 'b', 'b'] } as const;
    const turn = sql(1, 'x', { tool: 'search', outcome, ms: 1 });
    expect(toolStatsOf([turn], ['a'])).toMatchObject({ hits: { all: 3, outside: 2 } });
    expect(toolStatsOf([turn])).not.toHaveProperty('hits');
    const tools = runTools([toolStatsOf([turn], ['a']), toolStatsOf([turn], ['b'])]);
    expect(tools && runToolsText(tools)).toContain(
      '3 of 6 hits in other papers than the question names',
    );
  });

  it.each([
    ['an action that failed', [sql(1, 'a', found(false, 1)), sql(2, 'b', failed('binder', 2))]],
    [
      'a statement that repeats another',
      [sql(1, 'a', found(false, 1)), sql(2, 'a', found(false, 1))],
    ],
    ['a reply that cannot be read', [sql(1, 'a', found(false, 1)), unreadable(2, cutOffError)]],
  ] as const)('names the first faulty step: %s', (_, steps) => {
    const tools = toolStatsOf(steps);
    expect(tools).toMatchObject({ firstFaultyTurn: 2 });
    expect(questionRemarks(tools)).toContain('turn 2 is the first faulty step');
    expect(toolStatsOf(steps.slice(0, 1))).not.toHaveProperty('firstFaultyTurn');
  });

  it('survives JSON', () => {
    const stats = toolStatsOf(turns);
    expect(toolStatsSchema.parse(JSON.parse(JSON.stringify(stats)))).toEqual(stats);
  });
});

describe('runTools', () => {
  const other = toolStatsOf([sql(1, 'a', found(false, 1)), sql(2, 'b', failed('parser', 100))]);

  it('puts questions together, percentiles from all calls', () => {
    expect(runTools([toolStatsOf(turns), other, toolStatsOf([])])).toMatchObject({
      sqlErrors: { binder: 2, timeout: 1, parser: 1 },
      emptyResults: 1,
      repeatedQueries: 2,
      rowsCut: 1,
      sqlMs: { calls: 7, p50: 4, p95: 100 },
      searchMs: { calls: 1, p50: 8, p95: 8 },
      firstNonEmptyTurn: 1,
      questionsWithoutResult: 1,
    });
  });

  it('has nothing to say of a run without questions', () => {
    expect(runTools([])).toBeNull();
  });

  it('says nothing of results where nothing was looked up', () => {
    const tools = runTools([toolStatsOf([]), toolStatsOf([])]);
    expect(tools && runToolsText(tools)).toEqual([]);
  });

  it('is told in a few lines', () => {
    const tools = runTools([toolStatsOf(turns)]);
    expect(tools && runToolsText(tools)).toEqual([
      'SQL: 5, median 4 ms, 95 % within 60 ms',
      'searches: 1, median 8 ms, 95 % within 8 ms',
      'results: 1 empty, 1 shown in part, 2 asked for again, the first in turn 8 at the median',
      'SQL errors: 2 binder, 1 timeout',
      'unreadable replies: 1 no-action, 1 parameters, 1 json, 1 cut-off',
    ]);
  });
});
