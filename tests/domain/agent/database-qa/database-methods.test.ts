import { describe, expect, it } from 'vitest';
import { answerTraceOf } from '../../../../domain/agent/database-qa/build-trace.js';
import {
  databaseMessages,
  databaseTrajectory,
} from '../../../../domain/agent/database-qa/messages.js';
import {
  stageOfPrompt,
  readDatabaseReply,
  stageOf,
} from '../../../../domain/agent/database-qa/prompts.js';
import {
  resultOfFailure,
  resultOfRows,
} from '../../../../domain/agent/database-qa/query-results.js';
import type {
  DatabaseMode,
  TracedQuery,
} from '../../../../domain/agent/database-qa/answer-trace.js';
import type { DatabaseMethod } from '../../../../domain/agent/turn-plan.js';
import type { FinishedTurn, ReplyRecord } from '../../../../domain/agent/turn-record.js';
import type { RunConfig } from '../../../../domain/runs/run-config.js';
import { sampleKey } from '../../../support/runs/example-records.js';
import { questionMaterial } from '../../../support/runs/question-material.js';

const schema = 'CREATE TABLE book (id BIGINT);';

const methodOf = (mode: DatabaseMode): DatabaseMethod => ({ kind: 'database', mode, summary: '' });

/** Plays a conversation: each reply is read, and queries get a result by their text. */
function play(mode: DatabaseMode, replies: readonly string[], config: Partial<RunConfig> = {}) {
  const material = {
    ...questionMaterial({ method: mode, ...config }, { question: 'Which books sell?' }),
    database: schema,
  };
  const settings = material.manifest.config;
  const turns: FinishedTurn[] = [];
  const stages: string[] = [];
  const prompts: string[] = [];
  for (const [index, raw] of replies.entries()) {
    const turn = index + 1;
    const stage = stageOf(mode, turn, turns, settings);
    stages.push(stage);
    const [message] = databaseMessages(methodOf(mode), material, turn, turns);
    prompts.push(message?.content as string);
    const reading = readDatabaseReply({ content: raw }, stage, turns);
    turns.push(turnOf(turn, raw, reading));
  }
  const next = stageOf(mode, replies.length + 1, turns, settings);
  return { material, turns, stages, prompts, next };
}

function turnOf(turn: number, raw: string, reading: ReplyRecord['reading']): FinishedTurn {
  const step = reading.kind === 'step' && reading.step.kind === 'queries' ? reading.step : null;
  const queries = step?.queries.map((sql, index): TracedQuery => ({
    sql,
    round: step.round,
    repairOf: step.repairOf?.[index] ?? null,
    ...(sql.includes('bad')
      ? resultOfFailure('error', 'Binder Error: no column bad')
      : resultOfRows(
          {
            columns: [{ name: 'n', type: 'BIGINT' }],
            rows: sql.includes('none') ? [] : [[7]],
            more: false,
          },
          { rows: 50, tokens: 4000 },
        )),
    ms: 1,
  }));
  const at = '2026-01-01T00:00:00.000Z';
  return {
    reply: {
      turn,
      raw,
      reading,
      model: 'm',
      tokens: null,
      costUsd: null,
      cacheHit: false,
      retries: 0,
      startedAt: at,
      endedAt: at,
    },
    observation: '',
    queries,
  };
}

const sql = (...statements: readonly string[]): string =>
  statements.map((each) => `\`\`\`sql\n${each}\n\`\`\``).join('\n');

const trace = (mode: DatabaseMode, turns: readonly FinishedTurn[], answer: string | null = null) =>
  answerTraceOf(sampleKey('q1'), mode, 'm', turns, answer);

describe('sequential', () => {
  it('plans, queries all at once, and answers from the plan and the results', () => {
    const { stages, prompts, turns, next } = play('sequential', [
      'Count the books, then those that sold.',
      sql('SELECT 1;', 'SELECT bad;', 'SELECT none;'),
    ]);
    expect(stages).toEqual(['plan', 'queries']);
    expect(next).toBe('answer');
    expect(prompts[0]).toContain(schema);
    expect(prompts[0]).not.toContain('[Plan]');
    expect(prompts[1]).toContain('[Plan]:\nCount the books, then those that sold.');
    expect(trace('sequential', turns)).toMatchObject({
      stoppedBy: 'agent',
      plan: { text: 'Count the books, then those that sold.', words: 7 },
      queries: [
        { round: 1, status: 'rows', repairOf: null },
        { status: 'error', error: 'Binder Error: no column bad' },
        { status: 'empty' },
      ],
    });
  });

  it('shows results and errors to the last step', () => {
    const { prompts } = play('sequential', ['a plan', sql('SELECT 1;', 'SELECT bad;'), 'text']);
    expect(prompts[2]).toContain('Query 1:\nSELECT 1\nResult:\nn\n7');
    expect(prompts[2]).toContain(
      'Query 2:\nSELECT bad\nResult:\nError: Binder Error: no column bad',
    );
  });

  it('repairs nothing unless it may, and then as often as it may while queries fail', () => {
    const replies = [
      'a plan',
      sql('SELECT 1;', 'SELECT bad;'),
      sql('SELECT bad2;'),
      sql('SELECT 3;'),
    ];
    expect(play('sequential', replies.slice(0, 2)).next).toBe('answer');
    const { stages, next, turns, prompts } = play('sequential', replies, { sqlRepairs: 2 });
    expect(stages).toEqual(['plan', 'queries', 'repairs', 'repairs']);
    expect(next).toBe('answer');
    expect(prompts[3]).toContain('SELECT bad2');
    expect(prompts[3]).not.toContain('Query 1:\nSELECT 1\n');
    expect(trace('sequential', turns).queries.map(({ repairOf }) => repairOf)).toEqual([
      null,
      null,
      1,
      1,
    ]);
    const repaired = play('sequential', [...replies.slice(0, 2), sql('SELECT 2;')], {
      sqlRepairs: 2,
    });
    expect(repaired.next).toBe('answer');
  });

  it('records an empty plan and an empty list of queries', () => {
    const { turns, next } = play('sequential', ['  ', 'I would rather not.']);
    expect(next).toBe('answer');
    expect(trace('sequential', turns)).toMatchObject({ plan: { text: '', words: 0 }, queries: [] });
  });
});

describe('iterative', () => {
  it('asks for one need and one query a round until the agent declares that it has enough', () => {
    const { stages, next, prompts, turns } = play('iterative', [
      'NEXT: the number of books',
      sql('SELECT 1;'),
      'I still lack sales.\n**NEXT:** the number sold',
      sql('SELECT 2;'),
      'That will do.\nENOUGH',
    ]);
    expect(stages).toEqual(['need', 'query', 'need', 'query', 'need']);
    expect(next).toBe('answer');
    expect(prompts[1]).toContain('[Need]: the number of books');
    expect(prompts[4]).toContain('Round 2\nNeed: the number sold\nQuery 1:\nSELECT 2');
    expect(trace('iterative', turns)).toMatchObject({
      stoppedBy: 'agent',
      plan: { text: 'the number of books\nthe number sold' },
      queries: [{ round: 1 }, { round: 2 }],
    });
  });

  it.each(['ENOUGH', 'Enough.', 'That is all.\n**enough**'])(
    'may answer without a round: %j',
    (reply) => {
      const { next, turns } = play('iterative', [reply]);
      expect(next).toBe('answer');
      expect(trace('iterative', turns)).toMatchObject({
        stoppedBy: 'agent',
        plan: { text: '', words: 0, tokens: 0 },
        queries: [],
      });
    },
  );

  it.each([
    'I have enough of this.',
    'ENOUGH is not what I have.\nNEXT: more',
    'We need not go on',
  ])('does not take %j for the declaration', (reply) => {
    expect(play('iterative', [reply]).next).toBe('query');
  });

  it('answers with what there is when only the last turn is left', () => {
    const round = ['NEXT: more', sql('SELECT 1;')];
    const { stages, next, turns } = play('iterative', [...round, ...round], { maxTurns: 5 });
    expect(stages).toEqual(['need', 'query', 'need', 'query']);
    expect(next).toBe('answer');
    expect(trace('iterative', turns).stoppedBy).toBe('cap');
    // A round of two turns does not fit any more.
    expect(play('iterative', round, { maxTurns: 4 }).next).toBe('answer');
  });
});

describe('the answer', () => {
  it.each([
    ['Reasoning.\n<answer>\nIt sells.\n</answer>', 'It sells.'],
    ['<answer>a draft</answer>\n<answer>It sells.', 'It sells.'],
    ['It sells.', 'It sells.'],
    ['İİİ <ANSWER>İt sells.</Answer> İ', 'İt sells.'],
    ['Only reasoning <answer> </answer>', ''],
  ])('of %j is %j', (content, expected) => {
    expect(readDatabaseReply({ content }, 'answer', [])).toMatchObject({
      kind: 'action',
      action: { answer: { text: expected } },
    });
  });

  it('is measured in words and in tokens of o200k_base', () => {
    expect(trace('sequential', [], 'It sells  well.\nVery.').answer).toEqual({
      text: 'It sells  well.\nVery.',
      words: 4,
      tokens: 7,
    });
    expect(trace('sequential', [], null).answer).toEqual({ text: '', words: 0, tokens: 0 });
  });
});

const rowsShown = { titles: {}, context: 'book:\nid\n1' };

it('shows every row to no-interaction, which answers at once', () => {
  const { material } = play('no-interaction', []);
  const shown = { ...material, questionContext: rowsShown };
  const [message] = databaseMessages(methodOf('no-interaction'), shown, 1, []);
  expect(message?.content).toContain('[Rows]:\nbook:\nid\n1');
  expect(stageOf('no-interaction', 1, [], { maxTurns: 20 })).toBe('answer');
});

it('begins the requests of all steps over a database with its schema and rows, which providers cache', () => {
  const { prompts } = play('sequential', ['a plan', sql('SELECT 1;'), 'the answer']);
  const beginning = `[Database Schema]:\n${schema}\n\n`;
  expect(prompts.filter((prompt) => !prompt.startsWith(beginning))).toEqual([]);
  const shown = { ...play('no-interaction', []).material, questionContext: rowsShown };
  const [message] = databaseMessages(methodOf('no-interaction'), shown, 1, []);
  expect(message?.content).toMatch(/^\[Database Schema\]:[^]*\n\n\[Rows\]:[^]*\n\n\[Question\]:/);
});

it('keeps each request and reply in the trajectory', () => {
  const { material, turns } = play('sequential', ['a plan', sql('SELECT 1;')]);
  const trajectory = databaseTrajectory(methodOf('sequential'), material, turns);
  expect(trajectory.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(trajectory[1]?.content).toBe('a plan');
});

it('lets the simulated model tell which step a prompt is for', () => {
  const { prompts } = play('iterative', ['NEXT: more', sql('SELECT 1;'), 'ENOUGH']);
  expect(prompts.map(stageOfPrompt)).toEqual(['need', 'query', 'need']);
  expect(stageOfPrompt('Anything else')).toBeNull();
});
