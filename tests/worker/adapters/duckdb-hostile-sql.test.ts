import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { exhaustingSql, hostileSql } from '../../support/stores/hostile-sql.js';
import { createTablesUnderTest } from '../../support/stores/tables-under-test.js';

const { tables, store, query, rows, folder, file, ...underTest } = createTablesUnderTest();

const ordinarySql = 'SELECT count(*), max(year) FROM papers';
const ordinaryRows = [[100, 2024]];
const sha256 = (): string => createHash('sha256').update(readFileSync(file)).digest('hex');
const filesIn = (path: string): readonly string[] =>
  readdirSync(path, { recursive: true }).map(String).sort();

beforeAll(async () => {
  vi.stubEnv('TURNWISE_CANARY', 'canary-of-the-environment');
  await underTest.make();
});

afterAll(() => {
  vi.unstubAllEnvs();
  underTest.remove();
});

describe('hostile SQL', () => {
  it.each(hostileSql(folder).map((sql) => [sql]))('is refused: %.100s', async (sql) => {
    const before = { sha256: sha256(), files: filesIn(folder) };
    const outcome = await query(sql);
    expect(outcome.kind).toBe('sql-error');
    // What DuckDB quotes of the statement itself is not a disclosure.
    const said = JSON.stringify(outcome).replaceAll(JSON.stringify(sql).slice(1, -1), '');
    expect(said).not.toMatch(/canary-of-the/);
    if (!sql.includes(folder)) expect(said).not.toContain(folder);
    expect({ sha256: sha256(), files: filesIn(folder) }).toEqual(before);
  });

  it('leaves the same adapter able to run ordinary SQL', async () => {
    expect(await rows(ordinarySql)).toEqual(ordinaryRows);
  });

  it.each(exhaustingSql)('ends within its limits: %s', async (sql) => {
    const outcome = await query(sql, { timeoutMs: 500 });
    expect(['sql-timeout', 'sql-error']).toContain(outcome.kind);
    expect(await rows(ordinarySql)).toEqual(ordinaryRows);
  });

  it('ends a statement whose values outgrow the memory that DuckDB counts', async () => {
    const sql = "SELECT length(repeat('x', 100000000 + range::INT)) FROM range(4000)";
    expect(await query(sql, { timeoutMs: 240_000 })).toEqual({
      kind: 'sql-error',
      failure: 'memory',
      message: 'The statement needs more memory than it may use.',
    });
  });
});

describe('many callers', () => {
  it('answers twenty at once, each its own', async () => {
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    const answers = await Promise.all(
      numbers.map((n) => rows(`SELECT ${n}, count(*) FROM papers`)),
    );
    expect(answers).toEqual(numbers.map((n) => [[n, 100]]));
  });

  it('does not let one timeout disturb the others', async () => {
    const slow = query('SELECT sum(hash(range)) FROM range(1000000000000)', { timeoutMs: 200 });
    const answers = await Promise.all(Array.from({ length: 5 }, () => rows(ordinarySql)));
    expect(answers).toEqual(Array.from({ length: 5 }, () => ordinaryRows));
    expect(await slow).toEqual({ kind: 'sql-timeout' });
  });

  it('stops running and waiting statements when their signal aborts', async () => {
    const caller = new AbortController();
    const slow = Array.from({ length: 4 }, () =>
      tables.query(
        {
          database: { kind: 'store', name: store },
          sql: 'SELECT sum(hash(range)) FROM range(1000000000000)',
          maxRows: 1,
          timeoutMs: 60_000,
        },
        caller.signal,
      ),
    );
    const reason = new Error('the workflow was cancelled');
    caller.abort(reason);
    const settled = await Promise.allSettled(slow);
    expect(settled).toEqual(slow.map(() => ({ status: 'rejected', reason })));
    expect(await rows(ordinarySql)).toEqual(ordinaryRows);
  });
});
