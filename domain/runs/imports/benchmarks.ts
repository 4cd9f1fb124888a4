import { z } from 'zod';
import { exactJsonIn, firstIssue } from '../../formats/json.js';
import { readJsonLines } from '../../formats/json-lines.js';
import type { Evaluator } from '../../scoring/dataset-item.js';
import { type ImportedQuestions, gather, type ImportedQuestion } from './imported-question.js';

/** The files of a benchmark. Paths are relative to its folder and have slashes. */
export interface BenchmarkFiles {
  /** The names of the files in a folder, sorted; none if there is no folder. */
  readonly names: (folder: string) => readonly string[];
  readonly has: (file: string) => boolean;
  /** Null if there is no such file. */
  readonly read: (file: string) => string | null;
  /** The path of a file as a dataset names it. */
  readonly pathOf: (file: string) => string;
}

/** What became of a question of a benchmark: imported, left out, or flawed. */
type Reading = ImportedQuestion | LeftOut | string;

interface LeftOut {
  readonly leftOut: string;
}

const leaveOut = (leftOut: string): LeftOut => ({ leftOut });

function gatherReadings(readings: readonly Reading[]): ImportedQuestions {
  const isLeftOut = (reading: Reading): reading is LeftOut =>
    typeof reading === 'object' && 'leftOut' in reading;
  return {
    ...gather(readings.flatMap((reading) => (isLeftOut(reading) ? [] : [reading]))),
    leftOut: readings.filter(isLeftOut).map(({ leftOut }) => leftOut),
  };
}

const executionMatch = (options: Evaluator['eval_kwargs']): Evaluator => ({
  eval_func: 'eval_execution_match',
  eval_kwargs: options,
});

/** The question with what the benchmark lets its solver know. */
const withKnowledge = (question: string, knowledge: string): string =>
  knowledge.trim() === '' ? question : `${question}\n\nExternal knowledge: ${knowledge.trim()}`;

/** The layout is not that of the benchmark. */
const missing = (expected: string): ImportedQuestions => ({
  questions: [],
  problems: [`there is no ${expected} in this folder`],
});

/** A layout with a list of questions in JSON, and a folder for each database. */
interface ListLayout<T> {
  readonly questionFiles: RegExp;
  readonly expected: string;
  /** Folders of databases: the first that has the database counts. */
  readonly databaseFolders: readonly string[];
  readonly schema: z.ZodType<T>;
  readonly questionOf: (
    record: T,
    split: string,
    index: number,
  ) => Pick<ImportedQuestion, 'uuid' | 'question' | 'evaluator'> & {
    readonly db: string;
    readonly others: ImportedQuestion['others'];
  };
}

const readLists =
  <T>(source: string, layout: ListLayout<T>) =>
  (files: BenchmarkFiles): ImportedQuestions => {
    const names = files.names('').filter((name) => layout.questionFiles.test(name));
    if (names.length === 0) return missing(layout.expected);
    return gatherReadings(names.flatMap((name) => listReadings(source, layout, files, name)));
  };

function listReadings<T>(
  source: string,
  { schema, questionOf, databaseFolders }: ListLayout<T>,
  files: BenchmarkFiles,
  name: string,
): readonly Reading[] {
  const { data: records } = z.array(z.unknown()).safeParse(exactJsonIn(files.read(name) ?? ''));
  if (records === undefined) return [`${name}: it is not a list in JSON`];
  return records.map((record, index): Reading => {
    const place = `${name}: question ${index + 1}`;
    const parsed = schema.safeParse(record);
    if (!parsed.success) return `${place}: ${firstIssue(parsed.error)}`;
    const { db, others, ...asked } = questionOf(parsed.data, name.replace(/\.json$/, ''), index);
    const database = databaseFolders
      .map((folder) => `${folder}/${db}/${db}.sqlite`)
      .find((file) => files.has(file));
    if (database === undefined) return leaveOut(`database ${db} is not there`);
    return {
      place,
      ...asked,
      others: {
        database: { path: files.pathOf(database) },
        ...others,
        source,
        provenance: { file: name, index, database: db },
      },
    };
  });
}

const readSpider = readLists('spider', {
  questionFiles: /^(dev|test|train_spider|train_others)\.json$/,
  expected: 'dev.json, test.json or train_spider.json',
  databaseFolders: ['database', 'test_database'],
  schema: z.object({
    db_id: z.string().min(1),
    question: z.string(),
    query: z.string().min(1),
  }),
  questionOf: ({ db_id: db, question, query }, split, index) => ({
    db,
    uuid: `spider-${split}-${index}`,
    question,
    evaluator: executionMatch({ gold_sql: query, rule: 'spider' }),
    others: { tags: [split] },
  }),
});

const readBird = readLists('bird', {
  questionFiles: /^(dev|dev_tied_append|train|mini_dev|mini_dev_sqlite)\.json$/,
  expected: 'dev.json, train.json or mini_dev_sqlite.json',
  databaseFolders: ['dev_databases', 'train_databases'],
  schema: z.object({
    question_id: z.int().nonnegative().optional(),
    db_id: z.string().min(1),
    question: z.string(),
    evidence: z.string().default(''),
    SQL: z.string().min(1),
    difficulty: z.string().optional(),
  }),
  questionOf: (
    { question_id: id, db_id: db, question, evidence, SQL, difficulty },
    split,
    index,
  ) => ({
    db,
    uuid: `bird-${split}-${id ?? index}`,
    question: withKnowledge(question, evidence),
    evaluator: executionMatch({ gold_sql: SQL, rule: 'bird' }),
    others: { tags: [split, ...(difficulty === undefined ? [] : [difficulty])], evidence },
  }),
});

/** Benchmarks of text-to-SQL and data analysis that are imported from their published layout. */
export const benchmarks = ['spider', 'bird', 'spider2-lite', 'dabench'] as const;
export type Benchmark = (typeof benchmarks)[number];

/** Reads a benchmark. Questions without a database or a gold answer here are left out, each with its reason. */
export const readBenchmark = (benchmark: Benchmark, files: BenchmarkFiles): ImportedQuestions =>
  readers[benchmark](files);

const localQuestionSchema = z.object({
  instance_id: z.string().min(1),
  db: z.string().min(1),
  question: z.string(),
  external_knowledge: z.string().nullish(),
});

const comparisonSchema = z.object({
  instance_id: z.string(),
  condition_cols: z.union([z.array(z.int()), z.array(z.array(z.int()))]).nullish(),
  ignore_order: z.boolean().default(false),
});

const clouds: readonly (readonly [start: RegExp, cloud: string])[] = [
  [/^(bq|ga)/, 'its database is on BigQuery'],
  [/^sf/, 'its database is on Snowflake'],
];

const lite = {
  questions: 'spider2-lite.jsonl',
  databases: 'resource/databases/spider2-localdb',
  documents: 'resource/documents',
  gold: 'evaluation_suite/gold',
} as const;

function readSpider2Lite(files: BenchmarkFiles): ImportedQuestions {
  const text = files.read(lite.questions);
  if (text === null) return missing(lite.questions);
  const questions = readJsonLines(text, localQuestionSchema);
  const comparisons = readJsonLines(
    files.read(`${lite.gold}/spider2lite_eval.jsonl`) ?? '',
    comparisonSchema,
  );
  const comparisonOf = new Map(comparisons.lines.map(({ value }) => [value.instance_id, value]));
  const goldNames = files.names(`${lite.gold}/exec_result`);
  const read = gatherReadings(
    questions.lines.map(({ line, value }): Reading => {
      const { instance_id: id, db, question, external_knowledge: document } = value;
      const cloud = clouds.find(([start]) => start.test(id));
      if (cloud) return leaveOut(cloud[1]);
      const database = `${lite.databases}/${db}.sqlite`;
      if (!files.has(database)) return leaveOut(`database ${db} is not there`);
      const golds = goldNames.filter((name) => isGoldOf(name, id));
      const sql = files.read(`${lite.gold}/sql/${id}.sql`);
      if (golds.length === 0 && sql === null) return leaveOut('it has no gold result');
      const { condition_cols: columns, ignore_order = false } = comparisonOf.get(id) ?? {};
      return {
        place: `${lite.questions}: line ${line}`,
        uuid: id,
        question: withKnowledge(
          question,
          (document && files.read(`${lite.documents}/${document}`)) ?? '',
        ),
        evaluator: executionMatch({
          ...(golds.length > 0
            ? { gold_csv: golds.map((name) => files.read(`${lite.gold}/exec_result/${name}`)) }
            : { gold_sql: sql }),
          rule: 'spider2-lite',
          ...(columns && columns.length > 0 && { condition_cols: columns }),
          ignore_order,
        }),
        others: {
          database: { path: files.pathOf(database) },
          tags: [],
          source: 'spider2-lite',
          provenance: { file: lite.questions, line, database: db },
        },
      };
    }),
  );
  return {
    ...read,
    problems: [...questions.problems.map(inFile(lite.questions)), ...read.problems],
  };
}

/** Golds are `ID.csv`, or `ID_a.csv`, `ID_b.csv` and so on, of which any may be met. */
const isGoldOf = (name: string, id: string): boolean =>
  name.startsWith(id) && /^(_[a-z])?\.csv$/.test(name.slice(id.length));

const inFile =
  (file: string) =>
  (problem: string): string =>
    `${file}: ${problem}`;

const analysis = {
  questions: 'da-dev-questions.jsonl',
  labels: 'da-dev-labels.jsonl',
  tables: 'da-dev-tables',
} as const;

const analysisSchema = z.object({
  id: z.int().nonnegative(),
  question: z.string(),
  constraints: z.string().default(''),
  format: z.string().default(''),
  file_name: z.string().min(1),
  level: z.string().optional(),
  concepts: z.array(z.string()).default([]),
});

const labelSchema = z.object({
  id: z.int().nonnegative(),
  common_answers: z.array(z.tuple([z.string(), z.string()])).min(1),
});

function readDabench(files: BenchmarkFiles): ImportedQuestions {
  const text = files.read(analysis.questions);
  if (text === null) return missing(analysis.questions);
  const questions = readJsonLines(text, analysisSchema);
  const labels = readJsonLines(files.read(analysis.labels) ?? '', labelSchema);
  const labelOf = new Map(labels.lines.map(({ value }) => [value.id, value.common_answers]));
  const read = gatherReadings(
    questions.lines.map(({ line, value }): Reading => {
      const { id, question, constraints, format, file_name, level, concepts } = value;
      const table = `${analysis.tables}/${file_name}`;
      if (!files.has(table)) return leaveOut(`table ${file_name} is not there`);
      const gold = labelOf.get(id);
      if (gold === undefined) return leaveOut('it has no label');
      return {
        place: `${analysis.questions}: line ${line}`,
        uuid: `dabench-${id}`,
        question: constraints === '' ? question : `${question}\n\nConstraints: ${constraints}`,
        evaluator: executionMatch({ gold, rule: 'dabench' }),
        others: {
          database: { path: files.pathOf(table) },
          answer_format: format,
          tags: [...(level === undefined ? [] : [level]), ...concepts],
          source: 'dabench',
          provenance: { file: analysis.questions, line, table: file_name },
        },
      };
    }),
  );
  return {
    ...read,
    problems: [
      ...questions.problems.map(inFile(analysis.questions)),
      ...labels.problems.map(inFile(analysis.labels)),
      ...read.problems,
    ],
  };
}

const readers: Readonly<Record<Benchmark, (files: BenchmarkFiles) => ImportedQuestions>> = {
  spider: readSpider,
  bird: readBird,
  'spider2-lite': readSpider2Lite,
  dabench: readDabench,
};
