import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { registerDataset } from '../../../client/commands/dataset/dataset.js';
import type { CheckedLine } from '../../../domain/building/dataset-check.js';
import { storeNameSchema } from '../../../domain/ids.js';
import { writeTables } from '../../../worker/adapters/duckdb/tables-file.js';
import { compiledEntry } from '../../support/compiled-entry.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { readExamplePapers } from '../../support/stores/example-library.js';
import { placeAt } from '../../support/stores/place-at.js';

const programs = vi.hoisted(() => new Map<string, string>());
vi.mock('../../../client/services/programs.js', () => ({
  workerProgram: (name: string) => programs.get(name) ?? `there is no ${name}`,
}));

const folder = mkdtempSync(join(tmpdir(), 'turnwise-check-'));
let stdout = '';
beforeAll(async () => {
  const sql = compiledEntry('worker/execute-sql.ts', 'worker/adapters/duckdb/query-process.ts');
  const imports = compiledEntry('worker/import-databases.ts');
  programs.set('execute-sql', fileURLToPath(sql.entry));
  programs.set('import-databases', fileURLToPath(imports.entry));
  vi.spyOn(console, 'log').mockImplementation((text: string) => void (stdout += `${text}\n`));
  await makeExampleStore();
  return () => {
    sql.remove();
    imports.remove();
  };
});
afterEach(() => {
  process.exitCode = undefined;
});
afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Store `papers`, with the example papers. */
async function makeExampleStore(): Promise<void> {
  const home = join(folder, 'home');
  vi.stubEnv('TURNWISE_HOME', home);
  const read = await readExamplePapers();
  const file = join(folder, 'papers.duckdb');
  await writeTables(
    file,
    (async function* () {
      for (const { rows } of read) yield await Promise.resolve(rows);
    })(),
  );
  const { generations } = placeAt(home);
  const store = storeNameSchema.parse('papers');
  await generations.publish({
    ...exampleManifest().store,
    key: 'k1',
    generation: 1,
    builtAt: '2026-01-01T00:00:00.000Z',
    papers: read.map(({ file: name, rows }) => ({
      paperId: String(rows.metadata[0]?.['paper_id']),
      title: name,
      file: name,
      sha256: '0'.repeat(64),
      pages: 1,
    })),
    files: { tables: await generations.add(store, 'tables', file) },
  });
}

type Item = Readonly<Record<string, unknown>> & { readonly uuid: string };

interface Check {
  readonly faulty: number;
  readonly checks: readonly { readonly check: string; readonly faults: number }[];
  readonly items: readonly CheckedLine[];
}

async function check(file: string, ...args: readonly string[]): Promise<string> {
  stdout = '';
  const program = new Command('turnwise');
  registerDataset(program);
  for (const command of program.commands[0]?.commands ?? []) {
    command.exitOverride().configureOutput({ writeErr: () => undefined });
  }
  await program.parseAsync(['dataset', 'check', file, ...args], { from: 'user' });
  return stdout;
}

async function checkItems(items: readonly (Item | string)[], ...args: readonly string[]) {
  const file = join(folder, 'dataset.jsonl');
  const lines = items.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  return JSON.parse(await check(file, '--json', ...args)) as Check;
}

const examples = fileURLToPath(new URL('../../../examples', import.meta.url));
const itemsOf = (file: string): readonly Item[] =>
  readFileSync(join(examples, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Item);

const papers = itemsOf('questions.jsonl');

/** Paths of databases are relative to the dataset. */
const databases = itemsOf('database-qa/questions.jsonl').map((item) => {
  const { path } = item['database'] as { path?: string };
  const moved = { path: relative(folder, join(examples, 'database-qa', path ?? '')) };
  return path === undefined ? item : { ...item, database: moved };
});

interface GoldQuery {
  readonly name: string;
  readonly need: string;
  readonly sql: string;
}

/** Each gold query of the questions as a question of its own, under a rule. */
const inSql = (rule: string): readonly Item[] =>
  databases.flatMap(({ uuid, database, goldQueries }) =>
    (goldQueries as readonly GoldQuery[]).map(({ name, need, sql }) => ({
      uuid: `${uuid}-${name}`,
      question: `${need} (${uuid}, ${name})`,
      database,
      evaluator: { eval_func: 'eval_execution_match', eval_kwargs: { rule, gold_sql: sql } },
    })),
  );

const by = (eval_func: string, eval_kwargs: object) => ({ eval_func, eval_kwargs });

/** A question for each way to score an answer. */
const scorers: readonly Item[] = [
  by('eval_string_exact_match', { gold: 'Rotterdam', lowercase: true }),
  by('eval_string_fuzzy_match', { gold: 'beam search with a width of four', threshold: 90 }),
  by('eval_bool_exact_match', { gold: true }),
  by('eval_int_exact_match', { gold: 0 }),
  by('eval_int_exact_match', { gold: 1961 }),
  by('eval_float_exact_match', { gold: 0.042, ndigits: 3 }),
  by('eval_float_exact_match', { gold: 12.5, tolerance: 0.05 }),
  by('eval_structured_object_exact_match', { gold: [1, 'two', [3.5, null]], ignore_order: true }),
  by('eval_structured_object_exact_match', {
    gold: { model: 'BART', layers: 12 },
    lowercase: true,
  }),
  by('eval_element_included', { gold: ['SQuAD', 'SQuAD 1.1'], lowercase: true }),
  by('eval_element_list_included', { gold: ['WMT14', 'WMT16', 'news commentary'] }),
  by('eval_element_list_overlap', { gold: [1, 2, 3, 4], element_type: 'int', count: 2 }),
  by('eval_paper_relevance_with_reference_answer', {
    question: 'Which paper?',
    reference_answer: 'Attention and Its Limits in Long Documents',
  }),
  by('eval_reference_answer_with_llm', { question: 'Why?', reference_answer: 'It forgets.' }),
  by('eval_scoring_points_with_llm', { question: 'Why?', scoring_points: ['It forgets.'] }),
  by('eval_conjunction', {
    eval_func_list: ['eval_int_exact_match', 'eval_string_exact_match', 'eval_negation'],
    eval_kwargs_list: [
      { gold: 3 },
      { gold: 'dropout' },
      by('eval_string_exact_match', { gold: 'none' }),
    ],
  }),
  by('eval_disjunction', {
    eval_func_list: ['eval_int_exact_match', 'eval_reference_answer_with_llm'],
    eval_kwargs_list: [{ gold: 3 }, { question: 'How many?', reference_answer: 'Three.' }],
  }),
  by('eval_execution_match', { rule: 'dabstep', gold: '138.24' }),
  by('eval_execution_match', { rule: 'dabench', gold: [['mean_age', '34.65']] }),
].map((evaluator, index) => ({
  uuid: `scorer-${index}`,
  question: `${index} of what?`,
  evaluator,
}));

/** Numbers from 0 to below 1, the same at every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Seeded {
  readonly kind: string;
  /** Null where the item cannot have the fault. */
  readonly change: (item: Item) => Item | string | null;
}

const kwargsOf = (item: Item): Readonly<Record<string, unknown>> =>
  (item['evaluator'] as { eval_kwargs: Readonly<Record<string, unknown>> }).eval_kwargs;
const functionOf = (item: Item): string => (item['evaluator'] as { eval_func: string }).eval_func;
const withOptions = (item: Item, options: object): Item => ({
  ...item,
  evaluator: by(functionOf(item), { ...kwargsOf(item), ...options }),
});

const sqlOf = (item: Item): string => kwargsOf(item)['gold_sql'] as string;
const sqlBy =
  (change: (sql: string) => string) =>
  (item: Item): Item | null => {
    const sql = change(sqlOf(item));
    return sql === sqlOf(item) ? null : withOptions(item, { gold_sql: sql });
  };
/** Rows of which two tie in `w`. */
const ties = "(VALUES (1, 'a'), (1, 'b'), (2, 'c')) AS w(w, v)";

const sqlFaults: readonly Seeded[] = [
  {
    kind: 'gold-fails',
    change: sqlBy((sql) => sql.replace(/^SELECT /, 'SELECT no_such_column, ')),
  },
  { kind: 'gold-fails', change: sqlBy((sql) => sql.replace(/ FROM /, ' FROM no_such_')) },
  { kind: 'gold-fails', change: sqlBy((sql) => `SELECT q.* FROM (${sql}) AS q, range(60000)`) },
  { kind: 'gold-empty', change: sqlBy((sql) => `SELECT * FROM (${sql}) AS q WHERE 1 = 0`) },
  { kind: 'gold-empty', change: sqlBy((sql) => `SELECT max(NULL) FROM (${sql}) AS q`) },
  { kind: 'gold-varies', change: sqlBy((sql) => `SELECT *, random() FROM (${sql}) AS q`) },
  { kind: 'gold-varies', change: sqlBy((sql) => `SELECT *, current_date - 1 FROM (${sql}) AS q`) },
  { kind: 'gold-varies', change: sqlBy((sql) => `SELECT *, now() FROM (${sql}) AS q`) },
  {
    kind: 'gold-order',
    change: sqlBy((sql) => `SELECT q.*, v FROM (${sql}) AS q, ${ties} ORDER BY w`),
  },
  {
    kind: 'gold-order',
    change: sqlBy((sql) => `SELECT w, v FROM (${sql}) AS q, ${ties} ORDER BY 1 DESC`),
  },
  {
    kind: 'gold-order',
    change: (item) => {
      const gold_sql = `SELECT q.*, v FROM (${sqlOf(item)}) AS q, ${ties}`;
      return withOptions(item, { rule: 'spider2-lite', gold_sql });
    },
  },
  { kind: 'gold-limit', change: sqlBy((sql) => `SELECT * FROM (${sql}) AS q, range(3) LIMIT 2`) },
  {
    kind: 'gold-limit',
    change: sqlBy((sql) => `SELECT * FROM (${sql}) AS q, range(3) AS r(r) ORDER BY r // 2 LIMIT 1`),
  },
  {
    kind: 'gold-limit',
    change: sqlBy(
      (sql) => `SELECT count(*), (SELECT v FROM ${ties} ORDER BY w LIMIT 1) FROM (${sql}) AS q`,
    ),
  },
  { kind: 'gold-fails', change: (item) => ({ ...item, database: { path: 'gone.duckdb' } }) },
  { kind: 'gold-fails', change: ({ database: _, ...item }) => item },
  {
    kind: 'gold-scores',
    change: (item) =>
      withOptions(item, { rule: 'spider2-dbt', condition_cols: [99], ignore_order: true }),
  },
  { kind: 'empty-gold', change: (item) => withOptions(item, { gold_sql: ' ' }) },
];

const negated = (item: Item): Item => ({
  ...item,
  evaluator: by('eval_negation', by(functionOf(item), kwargsOf(item))),
});
const inList = (name: string, item: Item, other: object, options: object): Item => ({
  ...item,
  evaluator: by(name, {
    eval_func_list: [functionOf(item), other],
    eval_kwargs_list: [kwargsOf(item), options],
  }),
});
const onlyFor =
  (names: RegExp, change: (item: Item) => Item) =>
  (item: Item): Item | null =>
    names.test(functionOf(item)) ? change(item) : null;
const judged = /_with_llm|_m3sciqa|long_form|program/;
const computed =
  (change: (item: Item) => Item) =>
  (item: Item): Item | null =>
    judged.test(functionOf(item)) || functionOf(item) === 'eval_execution_match'
      ? null
      : change(item);

const scorerFaultsSeeded: readonly Seeded[] = [
  { kind: 'cannot-fail', change: computed(negated) },
  {
    kind: 'cannot-fail',
    change: computed((item) =>
      inList(
        'eval_disjunction',
        item,
        'eval_negation' as never,
        by('eval_int_exact_match', { gold: 5 }),
      ),
    ),
  },
  {
    kind: 'cannot-fail',
    change: computed((item) =>
      inList('eval_conjunction', item, 'eval_string_fuzzy_match' as never, {
        gold: 'so',
        threshold: 0,
      }),
    ),
  },
  {
    kind: 'cannot-fail',
    change: onlyFor(/string_exact|string_fuzzy/, (item) => ({
      ...item,
      evaluator: by('eval_string_fuzzy_match', { ...kwargsOf(item), threshold: -1 }),
    })),
  },
  { kind: 'cannot-fail', change: onlyFor(/float/, (item) => withOptions(item, { tolerance: 10 })) },
  {
    kind: 'cannot-fail',
    change: onlyFor(/float/, (item) => withOptions(item, { ndigits: -4, tolerance: 1e-6 })),
  },
  { kind: 'gold-scores', change: onlyFor(/overlap/, (item) => withOptions(item, { count: 99 })) },
  { kind: 'empty-gold', change: onlyFor(/^eval_(?!con|dis|neg)/, emptied) },
  {
    kind: 'item',
    change: (item) => ({ ...item, evaluator: by('eval_integer_match', { gold: 1 }) }),
  },
  { kind: 'item', change: (item) => JSON.stringify(item).slice(0, -9) },
  { kind: 'item', change: onlyFor(/fuzzy/, (item) => withOptions(item, { threshold: 0.9 })) },
  { kind: 'no-scorer', change: ({ evaluator: _, ...item }) => item },
];

const paperFaults: readonly Seeded[] = [
  {
    kind: 'anchor-missing',
    change: (item) => ({ ...item, anchor_pdf: ['00000000-0000-4000-8000-000000000000'] }),
  },
  {
    kind: 'gold-absent',
    change: (item) => ({
      ...item,
      evaluator: by('eval_string_exact_match', {
        gold: 'Convolutional Marmalade',
        lowercase: true,
      }),
    }),
  },
  {
    kind: 'gold-absent',
    change: (item) => ({
      ...item,
      evaluator: by('eval_element_list_included', { gold: ['ImageNet-21k', 'Marmalade'] }),
    }),
  },
];

const longFaults: readonly Seeded[] = [
  { kind: 'empty-gold', change: (item) => ({ ...item, referenceAnswer: ' ' }) },
  { kind: 'no-scorer', change: ({ referenceAnswer: _, ...item }) => item },
  { kind: 'item', change: ({ category: _, ...item }) => item },
  { kind: 'item', change: (item) => ({ ...item, category: 'conclusions' }) },
];

function emptied(item: Item): Item {
  const options = kwargsOf(item);
  const name = ['gold', 'reference_answer', 'scoring_points'].find((each) => each in options) ?? '';
  return withOptions(item, { [name]: Array.isArray(options[name]) ? [] : '' });
}

/** A copy of an item further up, in words that differ a little. */
const copyOf = (item: Item, uuid: string): Item => ({
  ...item,
  uuid,
  question: `${String(item['question']).replace(/\?$/, '')}, please?`,
});

/** Changes items drawn at random, so many faults of each kind; no item twice. Some lines come in addition. */
function seed(
  items: readonly Item[],
  faults: readonly Seeded[],
  { times, copies, by: draw }: { times: number; copies: number; by: () => number },
) {
  const seeded = new Map<number, { readonly kind: string; readonly line: Item | string }>();
  for (const { kind, change } of Array.from({ length: times }, () => faults).flat()) {
    const order = [...items.keys()]
      .filter((at) => !seeded.has(at))
      .map((at) => [draw(), at] as const);
    for (const [, at] of order.sort(([a], [b]) => a - b)) {
      const item = items[at];
      const line = item === undefined ? null : change(item);
      if (line === null) continue;
      seeded.set(at, { kind, line });
      break;
    }
  }
  const sound = items.flatMap((item, at) => (seeded.has(at) ? [] : [item]));
  const lines: (Item | string)[] = items.map((item, at) => seeded.get(at)?.line ?? item);
  const expected = new Map([...seeded].map(([at, { kind }]) => [at + 1, kind]));
  for (let copy = 0; copy < copies; copy += 1) {
    const item = sound[Math.floor(draw() * sound.length)];
    if (item === undefined) continue;
    lines.push(copyOf(item, `copy-${copy}`));
    expected.set(lines.length, 'near-duplicate');
  }
  return { lines, expected };
}

const suites = [
  {
    name: 'papers',
    items: papers,
    faults: [...scorerFaultsSeeded, ...paperFaults],
    times: 1,
    copies: 3,
    flags: ['--store', 'papers'],
  },
  {
    name: 'scorers',
    items: [0, 1, 2].flatMap((round) =>
      scorers.map((item) => ({
        ...item,
        uuid: `${item.uuid}-${round}`,
        question: `${item['question'] as string} (${round})`,
      })),
    ),
    faults: scorerFaultsSeeded,
    times: 3,
    copies: 4,
    flags: [],
  },
  { name: 'long answers', items: databases, faults: longFaults, times: 5, copies: 8, flags: [] },
  { name: 'SQL', items: inSql('multiset'), faults: sqlFaults, times: 7, copies: 8, flags: [] },
];

describe('dataset check', () => {
  it('finds 200 seeded faults, and none where none was seeded', async () => {
    const draw = random(7);
    let seeded = 0;
    const missed: string[] = [];
    const falsely: string[] = [];
    for (const { name, items, faults, times, copies, flags } of suites) {
      const before = await checkItems(items, ...flags);
      for (const { uuid, faults: own } of before.items) {
        if (own.length > 0) falsely.push(`${name} ${uuid ?? ''}: ${JSON.stringify(own)}`);
      }
      const { lines, expected } = seed(items, faults, { times, copies, by: draw });
      const after = await checkItems(lines, ...flags);
      const told = new Map(after.items.map((each) => [each.line, each.faults]));
      seeded += expected.size;
      for (const [line, kind] of expected) {
        const own = told.get(line) ?? [];
        // A gold that its scorer cannot use is a problem of the item already.
        if (own.some(({ check }) => check === kind || check === 'item')) continue;
        missed.push(`${name} line ${line} ${kind}: ${JSON.stringify([lines[line - 1], own])}`);
      }
    }
    expect(seeded).toBeGreaterThanOrEqual(200);
    // All of them, and none: what is allowed is 10 % and 2 %.
    expect(missed).toEqual([]);
    expect(falsely).toEqual([]);
  }, 300_000);

  const item = (uuid: string, more: object): Item => ({
    uuid,
    question: `What is ${uuid}?`,
    ...more,
  });
  const database = {
    ddl: 'CREATE TABLE t (a INTEGER, b VARCHAR);',
    rows: "INSERT INTO t VALUES (1, 'x'), (1, 'y'), (2, 'z');",
  };
  const sql = (gold_sql: string | readonly string[], more: object = {}) => ({
    database,
    evaluator: by('eval_execution_match', { gold_sql, ...more }),
  });

  const golds: readonly (readonly [string, object, string | null])[] = [
    ['the default rule', sql('SELECT a, b FROM t'), null],
    ['a full order', sql('SELECT a, b FROM t ORDER BY a, b'), null],
    ['an order that counts for nothing', sql('SELECT b FROM t ORDER BY a', { rule: 'bird' }), null],
    ['rows that tie and are the same', sql('SELECT 1 FROM t ORDER BY a'), null],
    ['a LIMIT that keeps all', sql('SELECT b FROM t ORDER BY b LIMIT 3'), null],
    ['a LIMIT between keys', sql('SELECT b FROM t ORDER BY a DESC LIMIT 1'), null],
    ['a column called now', sql('SELECT a AS "now()" FROM t -- random()'), null],
    ['zero rows that are counted', sql('SELECT count(*) FROM t WHERE a > 5'), null],
    ['a gold in CSV', sql([], { gold_csv: 'a\n1\n', gold_sql: undefined }), null],
    ['rows that tie', sql('SELECT b FROM t ORDER BY a'), 'gold-order'],
    ['ties behind an alias', sql('SELECT b, a AS n FROM t ORDER BY n DESC'), 'gold-order'],
    ['no order under spider2', sql('SELECT a FROM t', { rule: 'spider2-dbt' }), 'gold-order'],
    [
      'no order under livesql',
      sql('SELECT a FROM t', { rule: 'livesql', ordered: true }),
      'gold-order',
    ],
    ['a LIMIT through ties', sql('SELECT b FROM t ORDER BY a LIMIT 1'), 'gold-limit'],
    ['an OFFSET through ties', sql('SELECT b FROM t ORDER BY a LIMIT 2 OFFSET 1'), 'gold-limit'],
    ['a LIMIT without an order', sql('SELECT b FROM t LIMIT 2'), 'gold-limit'],
    [
      'a LIMIT inside',
      sql('SELECT count(*) FROM t WHERE b = (SELECT b FROM t ORDER BY a LIMIT 1)'),
      'gold-limit',
    ],
    ['the second gold of two', sql(['SELECT 1', 'SELECT b FROM t LIMIT 2']), 'gold-limit'],
    ['chance', sql('SELECT b FROM t ORDER BY random()'), 'gold-varies'],
    ['the day', sql("SELECT b FROM t WHERE '2020-01-01' < current_date"), 'gold-varies'],
    ['no rows', sql('SELECT b FROM t WHERE a > 5'), 'gold-empty'],
    ['NULL alone', sql('SELECT max(b) FROM t WHERE a > 5'), 'gold-empty'],
    ['CSV without rows', sql([], { gold_csv: 'a,b\n', gold_sql: undefined }), 'gold-empty'],
    ['too many rows', sql('SELECT * FROM range(60000)'), 'gold-fails'],
    ['an error', sql('SELECT c FROM t'), 'gold-fails'],
    [
      'a file that is not there',
      { ...sql('SELECT 1'), database: { path: 'no.sqlite' } },
      'gold-fails',
    ],
    ['no database', { ...sql('SELECT 1'), database: undefined }, 'gold-fails'],
    [
      'columns that are not there',
      sql('SELECT a FROM t LIMIT 5', {
        rule: 'spider2-lite',
        condition_cols: [7],
        ignore_order: true,
      }),
      'gold-scores',
    ],
  ];

  it('says what is wrong with gold SQL, and nothing of what is right', async () => {
    const { items } = await checkItems(golds.map(([, more], at) => item(`q${at}`, more)));
    const told = items.map(({ faults }, at) => [golds[at]?.[0], faults.map((each) => each.check)]);
    expect(told).toEqual(golds.map(([name, , is]) => [name, is === null ? [] : [is]]));
  });

  it('prints each fault with its line, its uuid and its reason, and ends with 1', async () => {
    const file = join(folder, 'faulty.jsonl');
    const lines = [
      JSON.stringify(item('good', { evaluator: by('eval_int_exact_match', { gold: 3 }) })),
      '',
      '{"uuid": "cut',
      JSON.stringify(item('bare', {})),
    ];
    writeFileSync(file, lines.join('\n'));
    const shown = await check(file);
    expect(shown).toContain('line 3  –  item: is not a JSON object');
    expect(shown).toContain(
      'line 4  bare  no-scorer: it has neither evaluator nor reference answer',
    );
    expect(shown).toMatch(/^cannot-fail +0 +an empty answer, a refusal/m);
    expect(shown).toContain('3 items, 2 with faults');
    expect(process.exitCode).toBe(1);
    await check(file, '--skip', 'item', 'no-scorer');
    expect(process.exitCode).toBe(0);
  });

  it('reads a JSON list, as a run does', async () => {
    const file = join(folder, 'list.json');
    writeFileSync(
      file,
      '[\n {"uuid": "a", "question": "How many?"},\n {"uuid": "b", "question": "Where?"}\n]\n',
    );
    await check(file);
    expect(process.exitCode).toBe(0);
  });

  it('has no fault where nothing is to be scored, or another one says what a scorer is', async () => {
    expect((await checkItems([item('a', {}), item('b', {})])).faulty).toBe(0);
    expect(process.exitCode).toBe(0);
  });

  it('executes gold SQL on a store, for questions that name no database', async () => {
    const evaluator = by('eval_execution_match', { gold_sql: 'SELECT count(*) FROM metadata' });
    expect((await checkItems([item('q', { evaluator })], '--store', 'papers')).faulty).toBe(0);
  });

  it.each<[string, readonly string[], string]>([
    ['a file that is not there', ['nowhere.jsonl'], 'nowhere.jsonl cannot be read'],
    ['a store that is not there', ['faulty.jsonl', '--store', 'gone'], "no store 'gone'"],
    ['a check that is none', ['faulty.jsonl', '--skip', 'spelling'], 'commander.invalidArgument'],
  ])('refuses %s', async (_name, [file = '', ...flags], message) => {
    const failure: unknown = await check(join(folder, file), ...flags).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject(
      message.startsWith('commander')
        ? { code: message }
        : { name: 'UserError', status: 2, message: expect.stringContaining(message) as unknown },
    );
  });
});
