import { describe, expect, it } from 'vitest';
import type { TracedQuery } from '../../../../domain/agent/database-qa/answer-trace.js';
import {
  csvLine,
  outcomeOfQueries,
  renderQueries,
  resultOfFailure,
  resultOfRows,
} from '../../../../domain/agent/database-qa/query-results.js';

const columns = [
  { name: 'id', type: 'BIGINT' },
  { name: 'title', type: 'VARCHAR' },
];
const rows = (count: number) => Array.from({ length: count }, (_, id) => [id, `book ${id}`]);

describe('the result of a query', () => {
  it('is shown whole where it fits', () => {
    expect(
      resultOfRows({ columns, rows: rows(2), more: false }, { rows: 50, tokens: 4000 }),
    ).toEqual({
      status: 'rows',
      rows: 2,
      moreRows: false,
      shownRows: 2,
      error: null,
      shown: 'id,title\n0,book 0\n1,book 1',
    });
  });

  it('states what was cut by rows, with the total', () => {
    const { shown, shownRows } = resultOfRows(
      { columns, rows: rows(60), more: false },
      { rows: 50, tokens: 4000 },
    );
    expect(shownRows).toBe(50);
    expect(shown.split('\n').at(-1)).toBe('(50 of 60 rows shown)');
  });

  it('states what was cut by tokens, and that more rows were not counted', () => {
    const { shown, shownRows, moreRows } = resultOfRows(
      { columns, rows: rows(60), more: true },
      { rows: 60, tokens: 100 },
    );
    expect(shownRows).toBeGreaterThan(5);
    expect(shownRows).toBeLessThan(30);
    expect(moreRows).toBe(true);
    expect(shown.split('\n').at(-1)).toBe(`(${shownRows} of more than 60 rows shown)`);
  });

  it('shows the beginning of a row that is too long by itself', () => {
    const { shown, shownRows } = resultOfRows(
      { columns, rows: [[1, 'word '.repeat(500)]], more: false },
      { rows: 50, tokens: 60 },
    );
    expect(shownRows).toBe(0);
    expect(shown).toContain('word word');
    expect(shown).toContain('(the row is cut)');
    expect(shown).toContain('(0 of 1 rows shown)');
  });

  it('names the columns of an empty result', () => {
    expect(
      resultOfRows({ columns, rows: [], more: false }, { rows: 50, tokens: 4000 }),
    ).toMatchObject({
      status: 'empty',
      shown: 'id,title\n(0 rows)',
    });
  });
});

it.each<[Parameters<typeof csvLine>[0], string]>([
  [[null, '', 'a'], ',"",a'],
  [['a,b', 'say "x"', 'two\nlines', ' led'], '"a,b","say ""x""","two\nlines"," led"'],
  [[1.5, true, '007', [1, null], { k: 'v' }], '1.5,true,007,"[1,null]","{""k"":""v""}"'],
])('writes %j as a line of CSV', (cells, line) => {
  expect(csvLine(cells)).toBe(line);
});

const traced = (changes: Partial<TracedQuery>): TracedQuery => ({
  sql: 'SELECT 1',
  round: 1,
  repairOf: null,
  ...resultOfRows({ columns, rows: rows(1), more: false }, { rows: 50, tokens: 4000 }),
  ms: 1,
  ...changes,
});

it('renders queries with their results, and says of a repair what it repairs', () => {
  const failed = traced({ sql: 'SELECT x', ...resultOfFailure('error', 'no column x') });
  expect(renderQueries([failed, traced({ repairOf: 0 })])).toBe(
    'Query 1:\nSELECT x\nResult:\nError: no column x\n\nQuery 2 (repairs query 1):\nSELECT 1\nResult:\nid,title\n0,book 0',
  );
  expect(renderQueries([])).toBe('(no query was written)');
});

it.each<[readonly TracedQuery[], ReturnType<typeof outcomeOfQueries>]>([
  [[traced({})], { kind: 'found', shown: 1, cut: false }],
  [[traced({ shownRows: 1, rows: 9 })], { kind: 'found', shown: 1, cut: true }],
  [[traced({ status: 'empty', rows: 0, shownRows: 0 })], { kind: 'empty' }],
  [[traced({}), traced(resultOfFailure('timeout', 'slow'))], { kind: 'failed', class: 'timeout' }],
])('counts a step %#', (queries, outcome) => {
  expect(outcomeOfQueries(queries)).toEqual(outcome);
});
