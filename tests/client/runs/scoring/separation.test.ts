import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { executeTasks } from '../../../../client/runs/scoring/execute-answers.js';
import { statementsOf } from '../../../../domain/scoring/execution-match/execution-options.js';
import {
  type ExecutionDone,
  type ExecutionTask,
} from '../../../../domain/scoring/execution-match/execution.js';
import { executionVerdict } from '../../../../domain/scoring/execution-match/execution-verdict.js';
import { compiledEntry } from '../../../support/commands/compiled-entry.js';
import { createDatabasesUnderTest } from '../../../support/databases-under-test.js';
import { equivalentPairs } from '../../../support/scoring/equivalent-sql.js';
import { falsePairs } from '../../../support/scoring/false-sql.js';
import { fromAllTemplates, type SqlPair } from '../../../support/scoring/sql-pairs.js';

const programs = vi.hoisted(() => new Map<string, string>());
vi.mock('../../../../client/services/programs.js', async (original) => ({
  ...(await original<object>()),
  workerProgram: (name: string) => programs.get(name) ?? `there is no ${name}`,
}));

const databases = createDatabasesUnderTest();
const { home, readOne, rows } = databases.dataset();
type Imported = Awaited<ReturnType<typeof readOne>>;
const examples = fileURLToPath(
  new URL('../../../../examples/database-qa/databases', import.meta.url),
);

beforeAll(() => {
  const sql = compiledEntry(
    'worker/execute-sql.ts',
    'worker/adapters/duckdb/query-process.ts',
    'worker/adapters/sqlite/sqlite-thread.ts',
  );
  programs.set('execute-sql', fileURLToPath(sql.entry));
  return sql.remove;
});
afterAll(databases.remove);

interface AskedPair extends SqlPair {
  readonly database: Imported;
}

const evaluatorOf = ({ gold, rule = 'multiset' }: SqlPair) => ({
  eval_func: 'eval_execution_match',
  eval_kwargs: { gold_sql: gold, rule },
});

async function execute(
  pairs: readonly AskedPair[],
  separates: boolean,
): Promise<readonly ExecutionDone[]> {
  const tasks = pairs.map((pair, index): ExecutionTask => {
    const { database, answer } = pair;
    const evaluator = evaluatorOf(pair);
    const match = { seed: `q${index}`, options: evaluator.eval_kwargs, answer };
    return {
      ...{ index, database: database.ref, statements: statementsOf(evaluator, answer) ?? [] },
      ...{ timeoutMs: 20_000, ...(separates && { match }) },
    };
  });
  const done: ExecutionDone[] = [];
  for await (const each of executeTasks({ TURNWISE_HOME: home, TURNWISE_STORAGE: home }, tasks))
    done.push(each);
  return done.toSorted((a, b) => a.index - b.index);
}

const isMatch = (pair: SqlPair, done: ExecutionDone | undefined): boolean => {
  if (!done || !('execution' in done)) return false;
  const answer = { kind: 'str', value: pair.answer } as const;
  const verdict = executionVerdict(evaluatorOf(pair).eval_kwargs, answer, done.execution);
  return verdict.kind === 'scored' && verdict.score === 1;
};

const separationOf = (done: ExecutionDone | undefined) =>
  done && 'separation' in done ? done.separation : undefined;

const told = (pairs: readonly AskedPair[], done: readonly ExecutionDone[]) =>
  pairs.map((pair, at) => ({ pair, separation: separationOf(done[at]) }));

const sources = ['library.sql', 'pharmacy.sql', 'tram.sql', 'repair-cafe/schema.sql'];

async function exampleDatabases(): Promise<readonly Imported[]> {
  const repairs = readFileSync(join(examples, 'repair-cafe/schema.sql'), 'utf8');
  const rowsOf = readFileSync(join(examples, 'repair-cafe/rows.sql'), 'utf8');
  const found: Imported[] = [];
  for (const source of sources) {
    for (const engine of ['duckdb', 'sqlite'] as const) {
      found.push(
        await readOne(
          source.startsWith('repair')
            ? { ddl: repairs, rows: rowsOf, engine }
            : { path: join(examples, source), engine },
        ),
      );
    }
  }
  for (const folder of ['regattas', 'seed-bank'])
    found.push(await readOne({ path: join(examples, folder) }));
  return found;
}

describe('copies of a database', () => {
  it('separate wrong answers that match, and no answers that say the same', async () => {
    const equivalent: AskedPair[] = [];
    const wrong: AskedPair[] = [];
    for (const database of await exampleDatabases()) {
      const ask = async (sql: string): Promise<unknown> => (await rows(database, sql))[0]?.[0];
      for (const pair of await equivalentPairs(database.description, ask))
        equivalent.push({ ...pair, database });
      for (const pair of await falsePairs(database.description, ask))
        wrong.push({ ...pair, database });
    }
    const some = fromAllTemplates(wrong, 400);
    const onReal = await execute(some, false);
    const chosen = fromAllTemplates(
      some.filter((pair, at) => isMatch(pair, onReal[at])),
      100,
    );
    // A few do not match on the real rows: a rule compares floats to the last digit.
    const same = fromAllTemplates(equivalent, 330);
    const lucky = told(chosen, await execute(chosen, true));
    const alike = told(same, await execute(same, true)).filter(({ separation }) => separation);
    const shown = ({ pair, separation }: (typeof alike)[number]) =>
      JSON.stringify([pair.database.description.name, pair.gold, pair.answer, separation]);
    const missed = lucky.filter(({ separation }) => separation?.kind !== 'luck').map(shown);
    const alarms = alike
      .filter(({ separation }) => separation?.kind !== 'alike' || separation.copies < 9)
      .map(shown);
    const templates = (pairs: readonly SqlPair[]) => new Set(pairs.map(({ template }) => template));
    expect(chosen.length).toBe(100);
    expect(Math.min(templates(chosen).size, templates(same).size)).toBeGreaterThanOrEqual(25);
    expect(alike.length).toBeGreaterThanOrEqual(300);
    // What is asked for is 80.
    expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(5);
    expect(alarms).toEqual([]);
  }, 1_800_000);
});
