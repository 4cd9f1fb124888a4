import { describe, expect, it } from 'vitest';
import { queriesIn, statementsOf } from '../../../../domain/agent/database-qa/sql-statements.js';

describe('the queries of a reply', () => {
  it.each<[string, string, readonly string[]]>([
    ['a fence', 'First:\n```sql\nSELECT 1;\n```\nDone.', ['SELECT 1']],
    ['several fences', '```sql\nSELECT 1\n```\n\n~~~\nSELECT 2;\n~~~', ['SELECT 1', 'SELECT 2']],
    ['several statements in a fence', '```\nSELECT 1;\nSELECT 2;\n```', ['SELECT 1', 'SELECT 2']],
    ['a fence that is never closed', '```sql\nSELECT 1', ['SELECT 1']],
    ['a JSON array', '["SELECT 1", "SELECT 2;"]', ['SELECT 1', 'SELECT 2']],
    ['a JSON array in a fence', '```json\n["SELECT 1"]\n```', ['SELECT 1']],
    [
      'bare statements',
      'SELECT 1;\nWITH t AS (SELECT 1) SELECT * FROM t;',
      ['SELECT 1', 'WITH t AS (SELECT 1) SELECT * FROM t'],
    ],
    ['prose before bare statements', 'The query is:\n\nSELECT a\nFROM t;', ['SELECT a\nFROM t']],
    [
      'whatever stands in a fence, to be refused later',
      '```sql\nDROP TABLE t\n```',
      ['DROP TABLE t'],
    ],
    ['SQL only in prose', 'You could select the titles and count them.', []],
    ['a sentence that begins like SQL', 'With these tables nothing can be said.', []],
    ['no reply', '', []],
  ])('are found in %s', (_, reply, expected) => {
    expect(queriesIn(reply)).toEqual(expected);
  });

  it('are as many as there are, however many', () => {
    expect(queriesIn('```sql\n' + 'SELECT 1;\n'.repeat(200) + '```')).toHaveLength(200);
  });
});

it.each<[string, readonly string[]]>([
  ["SELECT ';' ; SELECT 2", ["SELECT ';'", 'SELECT 2']],
  ["SELECT 'it''s; fine'", ["SELECT 'it''s; fine'"]],
  ['SELECT ";" FROM "a;b"', ['SELECT ";" FROM "a;b"']],
  ['SELECT 1 -- one; two\n; SELECT 2', ['SELECT 1 -- one; two', 'SELECT 2']],
  ['SELECT /* ; */ 1; /* nothing */ ;', ['SELECT /* ; */ 1']],
  ['SELECT $$a;b$$; SELECT $q$;$q$', ['SELECT $$a;b$$', 'SELECT $q$;$q$']],
  ["SELECT 'never closed; SELECT 2", ["SELECT 'never closed; SELECT 2"]],
  ['SELECT 4 - 2 / 1, $1; ;;', ['SELECT 4 - 2 / 1, $1']],
])('splits %j at the semicolons between statements', (sql, expected) => {
  expect(statementsOf(sql)).toEqual(expected);
});
