import { CommandLine } from '../../../client/commands/shared/command-line.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { registerScore } from '../../../client/commands/scores/score.js';
import { storeNameSchema } from '../../../domain/ids.js';
import { executionFile } from '../../../domain/runs/run-manifest.js';
import { scoreSchema, type Score } from '../../../domain/scoring/score.js';
import { captureOutput } from '../../support/commands/capture-output.js';
import { compiledEntry } from '../../support/commands/compiled-entry.js';
import { filesIn } from '../../support/files-in.js';
import { linesOf } from '../../support/lines-of.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { exampleEnd, sampleKey } from '../../support/runs/example-records.js';
import { runInFolder } from '../../support/runs/run-in-folder.js';
import { makeStore } from '../../support/stores/make-store.js';
import { placeAt } from '../../support/stores/place-at.js';

const programs = vi.hoisted(() => new Map<string, string>());
vi.mock('../../../client/services/programs.js', async (original) => ({
  ...(await original<object>()),
  workerProgram: (name: string) => programs.get(name) ?? `there is no ${name}`,
  packageVersion: () => '0.0.0',
}));

const folder = mkdtempSync(join(tmpdir(), 'turnwise-execution-'));
const output = captureOutput();
beforeAll(() => {
  const queries = 'worker/adapters/duckdb/query-process.ts';
  const sqlite = 'worker/adapters/sqlite/sqlite-thread.ts';
  const sql = compiledEntry('worker/execute-sql.ts', queries, sqlite);
  const imports = compiledEntry('worker/import-databases.ts');
  programs.set('execute-sql', fileURLToPath(sql.entry));
  programs.set('import-databases', fileURLToPath(imports.entry));
  return () => {
    sql.remove();
    imports.remove();
  };
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

async function score(...args: readonly string[]): Promise<string> {
  const program = new CommandLine('turnwise');
  registerScore(program);
  await program.parseAsync(['score', ...args], { from: 'user' });
  return output.stdout;
}

const by = (gold_sql: string, more: object = {}) => ({
  eval_func: 'eval_execution_match',
  eval_kwargs: { gold_sql, ...more },
});

function file(name: string, values: readonly object[]): string {
  const path = join(folder, name);
  writeFileSync(path, values.map((value) => `${JSON.stringify(value)}\n`).join(''));
  return path;
}

describe('matches by luck', () => {
  const database = {
    ddl: `CREATE TABLE loan (id INTEGER PRIMARY KEY, days INTEGER NOT NULL, branch VARCHAR NOT NULL,
            label VARCHAR NOT NULL UNIQUE, kind VARCHAR NOT NULL CHECK (kind IN ('book', 'film')));`,
    rows: `INSERT INTO loan VALUES (1, 5, 'North', 'x', 'book'), (2, 9, 'North', 'y', 'book'),
             (3, 30, 'South', 'z', 'film');`,
  };
  const golds = [
    ['edge', 'SELECT count(*) FROM loan WHERE days < 21'],
    ['distinct', "SELECT DISTINCT branch FROM loan WHERE branch = 'South'"],
    ['same', 'SELECT branch FROM loan GROUP BY branch'],
    ['wrong', 'SELECT max(days) FROM loan'],
    ['unique', 'SELECT count(*) FROM loan'],
    ['check', 'SELECT count(*) FROM loan'],
  ] as const;
  const answers = [
    ['edge', 'SELECT count(*) FROM loan WHERE days <= 21'],
    ['distinct', "```sql\nSELECT branch FROM loan WHERE branch = 'South'\n```"],
    ['same', 'SELECT DISTINCT branch FROM loan'],
    ['wrong', 'SELECT min(days) FROM loan'],
    ['unique', 'SELECT count(DISTINCT label) FROM loan'],
    ['check', "SELECT count(*) FROM loan WHERE kind IN ('book', 'film')"],
  ] as const;

  it.each(['duckdb', 'sqlite'] as const)('are named with their copy, in %s', async (engine) => {
    vi.stubEnv('TURNWISE_HOME', join(folder, 'home'));
    const gold = file(
      'lucky-gold.jsonl',
      golds.map(([uuid, sql]) => ({ uuid, database: { ...database, engine }, evaluator: by(sql) })),
    );
    const predictions = file(
      'lucky.jsonl',
      answers.map(([uuid, answer]) => ({ uuid, answer })),
    );
    const files = ['--predictions', predictions, '--gold', gold];
    const shown = await score(...files, '--separate');
    expect(shown).toMatch(
      /^edge +1 +luck +.+: the gold returns 1 rows \[\[\d+\]\], the answer 1 rows/m,
    );
    expect(shown).toMatch(/^distinct +1 +luck +/m);
    expect(shown).toContain('5 match, 2 of them by luck');
    expect(process.exitCode).toBe(1);
    process.exitCode = undefined;
    output.stdout = '';
    const json = await score(...files, '--separate', '--json');
    expect(JSON.parse(json)).toMatchObject({
      ...{ matches: 5, lucky: 2 },
      items: [
        { uuid: 'edge', faults: [{ check: 'luck' }], separation: { kind: 'luck' } },
        { uuid: 'distinct', faults: [{ check: 'luck' }] },
        {
          uuid: 'same',
          faults: [],
          separation: { kind: 'alike', copies: expect.any(Number) as number },
        },
        { uuid: 'unique', separation: { kind: 'alike' } },
        { uuid: 'check', separation: { kind: 'alike' } },
      ],
    });
    process.exitCode = undefined;
    const luck = join(folder, 'luck.json');
    writeFileSync(luck, json);
    output.stdout = '';
    const rest = await score(...files, '--without', luck);
    expect(rest).toContain('0.833 over 6 scored');
    expect(rest).toMatch(/without the 2 questions of .*luck\.json: .*0\.750 over 4 scored/);
    output.stdout = '';
    const { without } = JSON.parse(await score(...files, '--without', luck, '--json')) as {
      readonly without: object;
    };
    expect(without).toMatchObject({ questions: 2, headlines: [{ samples: 4 }] });
  });

  it('refuses a file that no check has printed', async () => {
    const other = file('other.json', [{ uuid: 'edge' }]);
    const files = [
      '--predictions',
      join(folder, 'lucky.jsonl'),
      '--gold',
      join(folder, 'lucky-gold.jsonl'),
    ];
    await expect(score(...files, '--without', other)).rejects.toThrow('other.json is not what');
  });
});

describe('predictions in SQL', () => {
  const database = {
    ddl: 'CREATE TABLE loan (id INTEGER PRIMARY KEY, "due on" DATE);',
    rows: "INSERT INTO loan VALUES (1, DATE '2024-01-01'), (2, NULL);",
  };
  const counting = by('SELECT count(*) FROM loan');

  const cases: readonly (readonly [string, object, string, object])[] = [
    ['the right SQL', counting, 'SELECT 2', { score: 1 }],
    ['fenced SQL', counting, 'So:\n```sql\nSELECT max(id) FROM loan;\n```', { score: 1 }],
    ['another result', counting, 'SELECT 3', { score: 0 }],
    [
      'SQL that fails',
      counting,
      'SELECT due FROM loan',
      { score: 0, verdict: { rationale: expect.stringContaining('(binder)') as unknown } },
    ],
    [
      'SQL that writes',
      counting,
      'DELETE FROM loan',
      { score: 0, verdict: { rationale: expect.stringContaining('(refused)') as unknown } },
    ],
    [
      'SQL that reads a file',
      counting,
      "SELECT * FROM read_text('/etc/hostname')",
      { score: 0, verdict: { rationale: expect.stringContaining('(refused)') as unknown } },
    ],
    ['prose', counting, 'There are two.', { score: 0 }],
    [
      'a gold that fails',
      by('SELECT nothing FROM loan'),
      'SELECT 2',
      { score: null, verdict: { reason: 'gold-fails' } },
    ],
    [
      'a large result',
      counting,
      'SELECT * FROM range(60000)',
      { score: 0, verdict: { rationale: 'Number of rows: more than 50000 instead of 1.' } },
    ],
    [
      'a large result of a wrong set',
      by('SELECT count(*) FROM loan', { rule: 'bird' }),
      'SELECT * FROM range(60000)',
      { score: 0, verdict: { rationale: 'A row is not in the gold.' } },
    ],
    [
      'a large gold',
      by('SELECT * FROM range(60000)'),
      'SELECT 2',
      { score: null, verdict: { reason: 'result-too-large' } },
    ],
    [
      'rows that tie',
      by("SELECT a FROM (VALUES ('x', 1), ('y', 1), ('z', 2)) AS t(a, n) ORDER BY n"),
      "SELECT unnest(['y', 'x', 'z'])",
      { score: 1 },
    ],
    [
      'rows that do not tie',
      by("SELECT a FROM (VALUES ('x', 1), ('y', 1), ('z', 2)) AS t(a, n) ORDER BY n"),
      "SELECT unnest(['y', 'z', 'x'])",
      { score: 0 },
    ],
    ['a rule', by('SELECT id % 1 FROM loan', { rule: 'bird' }), 'SELECT 0', { score: 1 }],
  ];

  it('are executed and scored in one go', async () => {
    const name = (title: string): string => title.replaceAll(' ', '-');
    const gold = file(
      'gold.jsonl',
      cases.map(([title, evaluator]) => ({ uuid: name(title), database, evaluator })),
    );
    const predictions = file(
      'predictions.jsonl',
      cases.map(([title, , answer]) => ({ uuid: name(title), answer })),
    );
    vi.stubEnv('TURNWISE_HOME', join(folder, 'home'));
    await score('--predictions', predictions, '--gold', gold, '--out', join(folder, 'out.jsonl'));
    expect(linesOf(folder, 'out.jsonl')).toMatchObject(
      cases.map(([title, , , expected]) => ({ uuid: name(title), ...expected })),
    );
  });

  it('are unscored without a database that can be read, and the others scored', async () => {
    const gold = file('gold.jsonl', [
      { uuid: 'a', database, evaluator: counting },
      { uuid: 'b', evaluator: counting },
      { uuid: 'c', database: { path: 'gone.sqlite' }, evaluator: counting },
      { uuid: 'd', evaluator: { eval_func: 'eval_int_exact_match', eval_kwargs: { gold: 2 } } },
    ]);
    const predictions = file(
      'predictions.jsonl',
      ['a', 'b', 'c', 'd'].map((uuid) => ({ uuid, answer: uuid === 'd' ? '2' : 'SELECT 2' })),
    );
    vi.stubEnv('TURNWISE_HOME', join(folder, 'home'));
    await score('--predictions', predictions, '--gold', gold, '--out', join(folder, 'out.jsonl'));
    const unread = (message: string) => ({
      score: null,
      verdict: { reason: 'not-executed', message: expect.stringContaining(message) as unknown },
    });
    expect(linesOf(folder, 'out.jsonl')).toMatchObject([
      { score: 1 },
      unread('names no database'),
      unread('gone.sqlite does not exist'),
      { score: 1 },
    ]);
    expect(output.stdout).toContain('eval_execution_match(multiset)');
  });

  it('have no mean over several rules, only one for each', async () => {
    const rules = ['bird', 'spider'];
    const gold = file(
      'gold.jsonl',
      rules.map((rule) => ({ uuid: rule, database, evaluator: by('SELECT 2', { rule }) })),
    );
    const predictions = file(
      'predictions.jsonl',
      rules.map((uuid) => ({ uuid, answer: 'SELECT 2' })),
    );
    vi.stubEnv('TURNWISE_HOME', join(folder, 'home'));
    const shown = await score('--predictions', predictions, '--gold', gold);
    expect(shown).toContain('no mean: rules that call different results equal have scored');
    expect(shown).toMatch(/eval_execution_match\(bird\) +1\.000/);
    expect(shown).toMatch(/eval_execution_match\(spider\) +1\.000/);
  });
});

describe('a run under several rules', () => {
  const answers = {
    same: 'SELECT year FROM loans ORDER BY id',
    // BIRD compares sets of rows, Spider's rule executes queries without DISTINCT.
    distinct: 'SELECT DISTINCT year FROM loans',
    swapped: 'SELECT id, year FROM loans',
    wrong: 'SELECT 1',
  };
  const golds: Readonly<Record<string, string>> = { swapped: 'SELECT year, id FROM loans' };

  async function endedRun() {
    const home = mkdtempSync(join(folder, 'home-'));
    const items = Object.keys(answers).map((uuid) => ({
      uuid,
      question: `Which are ${uuid}?`,
      evaluator: by(golds[uuid] ?? 'SELECT year FROM loans', { rule: 'spider' }),
    }));
    const text = {
      uuid: 'text',
      question: 'Why?',
      evaluator: { eval_func: 'eval_string_exact_match', eval_kwargs: { gold: 'so' } },
    };
    const change = (manifest: object) => ({ ...manifest, status: 'done' }) as never;
    const { manifest, runFiles, folder: path } = runInFolder([...items, text], change, home);
    const { generations } = placeAt(home);
    const store = storeNameSchema.parse('papers');
    const tables = await makeStore(join(home, 'made'), store, [
      'CREATE TABLE loans (id INTEGER, year INTEGER)',
      'INSERT INTO loans VALUES (1, 2020), (2, 2020), (3, 2021)',
    ]);
    await generations.publish({
      ...exampleManifest().store,
      key: 'k1',
      generation: 1,
      builtAt: '2026-01-01T00:00:00.000Z',
      papers: [],
      files: { tables: await generations.add(store, 'tables', tables) },
    });
    const ends = Object.entries({ ...answers, text: 'so' }).map(([uuid, answer]) => {
      const end = exampleEnd(sampleKey(uuid));
      return { ...end, result: { ...end.result, answer } };
    });
    await runFiles.publish(manifest.run, ends);
    vi.stubEnv('TURNWISE_HOME', home);
    return { run: manifest.run, runFiles, path, home };
  }

  it('gets a figure for each, and what the rules disagree on', async () => {
    const { run } = await endedRun();
    const out = join(folder, 'rules.jsonl');
    const shown = await score(run, '--rules', 'all', '--out', out);
    expect(shown).toMatch(/^multiset +0\.250 .* 4 +4$/m);
    expect(shown).toMatch(/^bird +0\.500 .* 4 +4$/m);
    expect(shown).toMatch(/^spider +0\.750 .* 4 +4$/m);
    expect(shown).not.toContain('dabench');
    expect(shown).toContain('the rule moves the score by 0.500; it decides 2 of 4 answers');
    expect(shown).toMatch(/^multiset +1 +2 +1 +1 +1$/m);
    const scores: readonly Score[] = linesOf(folder, 'rules.jsonl').map((line) =>
      scoreSchema.parse(line),
    );
    const bird = scores.filter(({ scorer }) => scorer === 'eval_execution_match(bird)');
    expect(bird.map(({ uuid, score: value }) => `${uuid} ${value}`).toSorted()).toEqual([
      'distinct 1',
      'same 1',
      'swapped 0',
      'wrong 0',
    ]);
  });

  it('is executed where it is not stored, and nothing is written', async () => {
    const { run, home } = await endedRun();
    const before = filesIn(home);
    await score(run, '--rules', 'bird');
    expect(filesIn(home)).toEqual(before);
  });

  it('is executed once: what is stored is compared again, and --json has every pair of rules', async () => {
    const { run, runFiles } = await endedRun();
    await score(run);
    expect(await runFiles.text(run, executionFile(sampleKey('wrong')))).not.toBeNull();
    const program = programs.get('execute-sql') ?? '';
    programs.set('execute-sql', 'must not be started');
    output.stdout = '';
    const spread: unknown = JSON.parse(
      await score(run, '--rules', 'bird', '--rules', 'spider', '--json'),
    );
    programs.set('execute-sql', program);
    expect(spread).toMatchObject({
      rules: [{ rule: 'bird' }, { rule: 'spider' }],
      differences: [{ rules: ['bird', 'spider'], answers: 4, differ: 1 }],
      compared: 4,
      dependOnRule: 1,
    });
  });

  it('is scored again from what is stored', async () => {
    const { run, path } = await endedRun();
    expect(await score(run)).toContain('over 5 scored');
    expect(linesOf(path, 'scores.jsonl')).toContainEqual(
      expect.objectContaining({
        uuid: 'swapped',
        score: 1,
        scorer: 'eval_execution_match(spider)',
      }),
    );
  });

  it.each([
    [['nonsense'], /there is no rule nonsense; there are multiset, bird, spider/],
    [['dabstep'], /no question of run a-run is scored by eval_execution_match with a gold for/],
  ])('is refused for %j', async (rules, message) => {
    const { run } = await endedRun();
    await expect(score(run, ...rules.flatMap((rule) => ['--rules', rule]))).rejects.toThrow(
      message,
    );
  });
});
