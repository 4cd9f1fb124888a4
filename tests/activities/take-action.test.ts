import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { createTakeAction } from '../../activities/take-action.js';
import { PortFailure } from '../../activities/ports/port-failure.js';
import type { SearchOutcome } from '../../activities/ports/search.js';
import type { SqlOutcome } from '../../activities/ports/tables.js';
import type { Action } from '../../domain/actions/action.js';
import type { SearchHit } from '../../domain/observations/search-hit.js';
import type { TableResult } from '../../domain/observations/table-result.js';
import { exampleObservation, exampleReply } from '../support/example-records.js';
import { FakeSearch } from '../support/fake-search.js';
import { FakeTables } from '../support/fake-tables.js';
import { questionInFolder, type QuestionInFolder } from '../support/question-in-folder.js';
import { runActivity } from '../support/run-activity.js';

const clock = { now: () => '2026-01-01T00:00:00.000Z' };
const sql: Action = { kind: 'RetrieveFromDatabase', sql: 'SELECT turns FROM runs' };
const search: Action = { kind: 'ClassicRetrieve', query: 'turns', limit: 2 };

const table = (...rows: TableResult['rows']): SqlOutcome => ({
  kind: 'rows',
  result: { columns: [{ name: 'turns', type: 'VARCHAR' }], rows, more: false },
});
const hit = (primaryKey: string): SearchHit => ({
  score: 0.5,
  pdfId: 'p1',
  pageNumber: 3,
  tableName: 'chunks',
  columnName: 'text_content',
  primaryKey,
});

interface Tools {
  readonly tables?: FakeTables;
  readonly search?: FakeSearch;
  readonly strict?: boolean;
}

/** Takes the action of turn 1, in a run of its own. */
async function taken(action: Action, { strict = false, ...tools }: Tools) {
  const question = questionInFolder({}, (manifest) => ({
    ...manifest,
    config: { ...manifest.config, strict, toolTimeoutMs: 2_500 },
  }));
  await question.runFiles.saveReply(question.ref.run, question.ref, exampleReply(1, action));
  return { ...question, ...(await take(question, tools)) };
}

async function take({ runFiles, ref }: QuestionInFolder, tools: Tools) {
  const { tables = new FakeTables(), search = new FakeSearch() } = tools;
  const takeAction = createTakeAction({ tables, search, runFiles, clock });
  const told = await runActivity(takeAction, { ...ref, turn: 1 });
  const content = (await runFiles.observation(ref.run, ref, 1))?.content;
  return { told, content };
}

const failureOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.catch((error: unknown) => error);

describe('takeAction', () => {
  it('stores what the model will read and tells the workflow a preview of it', async () => {
    const tables = new FakeTables([table(['20'])]);
    const { told, content } = await taken(sql, { tables });
    expect(content).toBe('{"turns":"20"}\n\nIn total, 1 rows are displayed in JSON format.');
    expect(told).toEqual({
      preview: '{"turns":"20"} In total, 1 rows are displayed in JSON format.',
    });
    expect(tables.statements).toEqual([
      { store: 'papers', sql: 'SELECT turns FROM runs', maxRows: 10, timeoutMs: 2_500 },
    ]);
  });

  it('carries out nothing where an observation is stored', async () => {
    const question = questionInFolder();
    const { runFiles, ref } = question;
    await runFiles.saveReply(ref.run, ref, exampleReply(1, sql));
    await runFiles.saveObservation(ref.run, ref, exampleObservation(1, 'seen before'));
    expect(await take(question, {})).toMatchObject({ told: { preview: 'seen before' } });
  });

  it('goes by the observation of whoever stored one first', async () => {
    const question = questionInFolder();
    const { runFiles, ref } = question;
    await runFiles.saveReply(ref.run, ref, exampleReply(1, sql));
    // The attempt that was given up for lost comes to its end while this one queries.
    const tables = new FakeTables();
    const slow = {
      texts: tables.texts,
      query: async () => {
        await runFiles.saveObservation(ref.run, ref, exampleObservation(1, 'the other saw this'));
        return table(['20']);
      },
    };
    const takeAction = createTakeAction({
      tables: slow,
      search: new FakeSearch(),
      runFiles,
      clock,
    });
    const told = await runActivity(takeAction, { ...ref, turn: 1 });
    expect(told).toEqual({ preview: 'the other saw this' });
  });

  it.each<[string, SqlOutcome, string]>([
    [
      'a statement without rows',
      table(),
      '[Warning]: The SQL execution result is empty, please check the SQL first.',
    ],
    [
      'a statement that fails',
      { kind: 'sql-error', message: 'no such table' },
      '[Error]: Runtime error during SQL execution and output formatting: no such table',
    ],
    [
      'a statement that takes too long',
      { kind: 'sql-timeout' },
      '[TimeoutError]: The SQL execution is TIMEOUT given maximum 2.5 seconds.',
    ],
  ])('tells the model of %s', async (_name, outcome, observation) => {
    const { content } = await taken(sql, { tables: new FakeTables([outcome]) });
    expect(content).toBe(observation);
  });

  it.each<[string, SearchOutcome, string]>([
    [
      'a search that finds nothing',
      { kind: 'hits', hits: [] },
      '[Warning]: No relevant context records found for the input query: turns.',
    ],
    [
      'a search that fails',
      { kind: 'search-error', message: 'collection not loaded' },
      '[Error]: When searching the vectorstore for context: collection not loaded',
    ],
    [
      'a search that takes too long',
      { kind: 'search-timeout' },
      '[TimeoutError]: Searching vectorstore for context is TIMEOUT given maximum 2.5 seconds.',
    ],
  ])('tells the model of %s', async (_name, outcome, observation) => {
    const { content } = await taken(search, { search: new FakeSearch(outcome) });
    expect(content).toBe(observation);
  });

  it('searches the chunks of the dense collection and joins their texts', async () => {
    const port = new FakeSearch({ kind: 'hits', hits: [hit('c1'), hit('c2')] });
    const tables = new FakeTables([], { c1: 'twenty turns', c2: ' at most ' });
    const { content } = await taken(search, { search: port, tables });
    expect(content?.split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/"primary_key":"c1","text":"twenty turns"\}$/),
      expect.stringMatching(/"primary_key":"c2","text":"at most"\}$/),
    ]);
    expect(port.requests).toEqual([
      {
        store: 'papers',
        collection: 'text_hashing_384',
        query: 'turns',
        filter: "table_name == 'chunks' and column_name == 'text_content'",
        limit: 2,
        timeoutMs: 2_500,
      },
    ]);
    expect(tables.lookups).toEqual([
      {
        store: 'papers',
        tableName: 'chunks',
        columnName: 'text_content',
        primaryKeys: ['c1', 'c2'],
      },
    ]);
  });

  it.each([
    [false, /"primary_key":"c1","text":null\}/],
    [true, /^\[Error\]: When searching the vectorstore for context: 'NoneType' object/],
  ])('where strict is %s, a hit whose text is gone reads as %s', async (strict, observation) => {
    const port = new FakeSearch({ kind: 'hits', hits: [hit('c1')] });
    const { content } = await taken(search, { search: port, strict });
    expect(content).toMatch(observation);
  });

  it.each([
    [false, '"a/b"'],
    [true, '"a\\/b"'],
  ])('where strict is %s, a slash is written as in %s', async (strict, cell) => {
    const { content } = await taken(sql, { tables: new FakeTables([table(['a/b'])]), strict });
    expect(content).toContain(`{"turns":${cell}}`);
  });

  it.each([
    ['StoreUnavailable', false],
    ['StoreMissing', true],
  ] as const)('reports %s with its own retry behaviour', async (type, nonRetryable) => {
    const failure = new PortFailure(type, 'no store');
    for (const attempt of [
      taken(sql, { tables: new FakeTables([failure]) }),
      taken(search, { search: new FakeSearch(failure) }),
    ]) {
      const thrown = await failureOf(attempt);
      expect(thrown).toBeInstanceOf(ApplicationFailure);
      expect(thrown).toMatchObject({ type, nonRetryable, message: 'no store' });
    }
  });

  it.each([
    ['without a reply', false],
    ['whose reply could not be read', true],
  ])('refuses a turn %s', async (_name, replied) => {
    const question = questionInFolder();
    const { runFiles, ref } = question;
    if (replied) await runFiles.saveReply(ref.run, ref, exampleReply(1, null));
    expect(await failureOf(take(question, {}))).toMatchObject({
      type: 'InvalidRun',
      nonRetryable: true,
      message: 'turn 1 of question q1 has no action to take in run a-run',
    });
  });
});
