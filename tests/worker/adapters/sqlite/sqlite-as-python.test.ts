// cspell:ignore fetchall
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { SqlOutcome } from '../../../../activities/ports/tools.js';
import type { PythonValue } from '../../../../domain/formats/python/value.js';
import { sqliteRows } from '../../../../domain/scoring/execution-match/result-comparison.js';
import { createSqliteUnderTest } from '../../../support/stores/sqlite-under-test.js';
import {
  handWritten,
  oddTables,
  statements,
} from '../../../support/arbitrary/sqlite-statements.js';

const sqlite = createSqliteUnderTest(oddTables);
afterAll(sqlite.remove);

/** Prints for each statement its rows, a value as its class and text, or null if it fails. */
const python = `
import json, sqlite3, sys
file, statements = json.load(sys.stdin)
def told(value):
    if isinstance(value, bytes): return ['bytes', value.hex()]
    if value is None: return ['none', '']
    return [type(value).__name__, repr(value) if isinstance(value, float) else str(value)]
def ran(sql):
    try: return [[told(value) for value in row] for row in connection.execute(sql).fetchall()]
    except (sqlite3.Error, sqlite3.Warning): return None
connection = sqlite3.connect('file:' + file + '?mode=ro', uri=True)
connection.text_factory = lambda text: text.decode(errors='replace')
json.dump([ran(sql) for sql in statements], sys.stdout)
`;

type Rows = readonly (readonly (readonly [string, string])[])[] | null;
const answersSchema = z.array(z.array(z.array(z.tuple([z.string(), z.string()]))).nullable());

function inPython(asked: readonly string[]): readonly Rows[] {
  const input = JSON.stringify([sqlite.file, asked]);
  const { stdout, stderr } = spawnSync('python3', ['-c', python], {
    ...{ input, encoding: 'utf8', maxBuffer: 2 ** 28 },
  });
  expect(stderr).toBe('');
  return answersSchema.parse(JSON.parse(stdout));
}

function told(value: PythonValue): readonly [string, string] {
  if (value.kind === 'none') return ['none', ''];
  if (value.kind === 'float') return ['float', String(value.value)];
  if (value.kind === 'bytes') return ['bytes', Buffer.from(value.value, 'latin1').toString('hex')];
  if (value.kind === 'int' || value.kind === 'str') return [value.kind, String(value.value)];
  throw new Error(`SQLite has no ${value.kind}`);
}

const here = (outcome: SqlOutcome): Rows =>
  outcome.kind === 'rows' ? sqliteRows(outcome.result).map((row) => row.map(told)) : null;

/** Python and JavaScript write the same float differently. */
const comparable = (rows: Rows): Rows =>
  rows &&
  rows.map((row) =>
    row.map(([kind, text]) => [
      kind,
      kind === 'float' ? String(Number(text.replace('inf', 'Infinity'))) : text,
    ]),
  );

it.each([
  ['written by hand', handWritten],
  ['generated', fc.sample(statements, { seed: 43, numRuns: 500 })],
])('gives what Python gets from SQLite: statements %s', async (_, asked) => {
  const outcomes = await sqlite.ask(asked);
  const expected = inPython(asked);
  const differences = asked.flatMap((sql, index) => {
    const [given, wanted] = [outcomes[index], comparable(expected[index] ?? null)];
    const got = given === undefined ? null : comparable(here(given));
    const isSame = JSON.stringify(got) === JSON.stringify(wanted);
    return isSame ? [] : [{ sql, got: got ?? given, wanted }];
  });
  expect(differences).toEqual([]);
  const failed = expected.filter((rows) => rows === null).length;
  expect(failed / asked.length).toBeLessThan(0.2);
});
