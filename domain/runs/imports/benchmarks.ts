import { z } from 'zod';
import { readJsonLines } from '../../formats/json-lines.js';
import {
  executionMatch,
  gatherReadings,
  leaveOut,
  missing,
  withKnowledge,
  type BenchmarkFiles,
  type Reading,
} from './benchmark-reading.js';
import type { ImportedQuestions } from './imported-question.js';
import { readBird, readSpider } from './spider-and-bird.js';

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
