import { describe, expect, it } from 'vitest';
import { statementsOf, withTextsInSingleQuotes } from '../../../domain/formats/sql.js';

describe('a SQL script', () => {
  it.each([
    ['', []],
    ['a; b ;; c', ['a', 'b', 'c']],
    ["x ';' \";\" `;` 'it''s;'; y", ["x ';' \";\" `;` 'it''s;'", 'y']],
    ['-- one; two\na; /* b; */ c -- d;', ['a', 'c -- d;']],
    ['a $$ ; $$; b $t$ ; $$ $t$; c', ['a $$ ; $$', 'b $t$ ; $$ $t$', 'c']],
    [
      'CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET x = 1; END; b',
      ['CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET x = 1; END', 'b'],
    ],
  ])('%j has the statements %j', (script, statements) => {
    expect(statementsOf(script)).toEqual(statements);
  });

  it.each([
    [`INSERT INTO "a" VALUES (1, "it's", 'x "y"')`, `INSERT INTO "a" VALUES (1, 'it''s', 'x "y"')`],
    [`INSERT INTO a SELECT "b" FROM c`, `INSERT INTO a SELECT "b" FROM c`],
    [`UPDATE "a" SET b = "c"`, `UPDATE "a" SET b = "c"`],
  ])('%s is run as %s', (statement, run) => {
    expect(withTextsInSingleQuotes(statement)).toBe(run);
  });
});
