import { z } from 'zod';
import { firstIssue, jsonIn } from '../../formats/json.js';
import {
  executionMatch,
  gatherReadings,
  leaveOut,
  missing,
  withKnowledge,
  type BenchmarkFiles,
  type Reading,
} from './benchmark-reading.js';
import type { ImportedQuestion, ImportedQuestions } from './imported-question.js';

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
  const { data: records } = z.array(z.unknown()).safeParse(jsonIn(files.read(name) ?? ''));
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

export const readSpider = readLists('spider', {
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

export const readBird = readLists('bird', {
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
