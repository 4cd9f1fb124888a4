import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Item = Readonly<Record<string, unknown>> & { readonly uuid: string };

const examples = fileURLToPath(new URL('../../examples', import.meta.url));
const itemsOf = (file: string): readonly Item[] =>
  readFileSync(join(examples, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Item);

const papers = itemsOf('questions.jsonl');

/** Paths of databases are relative to the dataset. */
const databasesIn = (folder: string): readonly Item[] =>
  itemsOf('database-qa/questions.jsonl').map((item) => {
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
const inSql = (rule: string, databases: readonly Item[]): readonly Item[] =>
  databases.flatMap(({ uuid, database, goldQueries }) =>
    (goldQueries as readonly GoldQuery[]).map(({ name, need, sql }) => ({
      uuid: `${uuid}-${name}`,
      question: `${need} (${uuid}, ${name})`,
      database,
      evaluator: { eval_func: 'eval_execution_match', eval_kwargs: { rule, gold_sql: sql } },
    })),
  );

interface By {
  readonly eval_func: string;
  readonly eval_kwargs: object;
}

export const by = (eval_func: string, eval_kwargs: object): By => ({ eval_func, eval_kwargs });

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
export function random(seed: number): () => number {
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
export function seed(
  items: readonly Item[],
  faults: readonly Seeded[],
  { times, copies, by: draw }: { times: number; copies: number; by: () => number },
): {
  readonly lines: readonly (Item | string)[];
  /** The check that is to find a line, by its number. */
  readonly expected: ReadonlyMap<number, string>;
} {
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

interface SeededSuite {
  readonly name: string;
  readonly items: readonly Item[];
  readonly faults: readonly Seeded[];
  readonly times: number;
  readonly copies: number;
  readonly flags: readonly string[];
}

/** @param folder - of the dataset that is made of the items */
export function seededSuites(folder: string): readonly SeededSuite[] {
  const databases = databasesIn(folder);
  return [
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
    {
      name: 'SQL',
      items: inSql('multiset', databases),
      faults: sqlFaults,
      times: 7,
      copies: 8,
      flags: [],
    },
  ];
}
