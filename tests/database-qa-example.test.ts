import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readDataset } from '../domain/runs/dataset.js';
import { mean } from '../domain/statistics/means.js';
import {
  databaseKey,
  databaseSourceSchema,
  importedDatabaseFile,
  type DatabaseDescriptionFile,
  type DatabaseSource,
} from '../domain/stores/database.js';
import { buildExample } from '../examples/database-qa/build.js';
import { readScript } from '../simulator/script.js';
import { importDatabase } from '../worker/adapters/databases/import-database.js';
import { checkout } from './support/command-line.js';

const folder = join(checkout, 'examples/database-qa');
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');

const itemSchema = z.object({
  uuid: z.string(),
  question: z.string(),
  database: databaseSourceSchema,
  category: z.enum(['conclusive', 'interpretive']),
  referenceAnswer: z.string(),
  goldQueries: z.array(
    z.object({
      sql: z.string(),
      columns: z.array(z.string()),
      rows: z.array(z.array(z.json())).min(1),
    }),
  ),
});
type Item = z.infer<typeof itemSchema>;

const dataset = readDataset(read('questions.jsonl'));
const items = z.array(itemSchema).parse(dataset.kind === 'items' ? dataset.items : []);
const sources = new Map(items.map(({ database }) => [databaseKey(database), database]));

/** The databases as a run imports them. */
const databases = new Map<
  string,
  { readonly description: DatabaseDescriptionFile; readonly connection: DuckDBConnection }
>();
beforeAll(async () => {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-example-'));
  for (const [key, source] of sources) {
    const description = await importDatabase(home, located(source));
    const file = join(home, importedDatabaseFile(description.id));
    const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' });
    databases.set(key, { description, connection: await instance.connect() });
  }
});

function located(source: DatabaseSource): Parameters<typeof importDatabase>[1] {
  if ('name' in source) throw new Error('the example names a store');
  return 'path' in source ? { path: join(folder, source.path) } : source;
}

const databaseOf = ({ database }: Item) => {
  const found = databases.get(databaseKey(database));
  if (found === undefined) throw new Error(`${databaseKey(database)} is not imported`);
  return found;
};

describe('the example of questions over databases', () => {
  it('is what its sources make today: both files are built again and stay the same', async () => {
    const { questions, replies } = await buildExample();
    expect(questions === read('questions.jsonl'), 'run node examples/database-qa/build.js').toBe(
      true,
    );
    expect(replies === read('replies.json')).toBe(true);
    expect(readScript(join(folder, 'replies.json')).databaseQuestions).toHaveLength(items.length);
  });

  it('asks ten questions about each of six databases, half of each category', () => {
    expect(dataset).toMatchObject({ kind: 'items', warnings: [] });
    expect(items).toHaveLength(60);
    for (const key of sources.keys()) {
      const categories = items
        .filter(({ database }) => databaseKey(database) === key)
        .map(({ category }) => category);
      expect(categories.filter((each) => each === 'conclusive')).toHaveLength(5);
      expect(categories.filter((each) => each === 'interpretive')).toHaveLength(5);
    }
    expect(sources.size).toBe(6);
  });

  it('has databases of at least five tables, some with gaps, and descriptions of columns', () => {
    const tables = [...databases.values()].map(({ description }) => description.tables);
    for (const each of tables) expect(each.length).toBeGreaterThanOrEqual(5);
    const columns = tables.flat().flatMap((table) => table.columns);
    expect(columns.filter(({ nullable }) => nullable).length).toBeGreaterThan(20);
    expect(columns.filter(({ description }) => description !== '').length).toBeGreaterThan(10);
  });

  it('has long answers that rest on about three queries', () => {
    const words = (wanted: Item['category']): number =>
      mean(
        items
          .filter(({ category }) => category === wanted)
          .map(({ referenceAnswer }) => referenceAnswer.split(/\s+/).length),
      );
    expect(words('conclusive')).toBeCloseTo(127, -1);
    expect(words('interpretive')).toBeCloseTo(207, -1);
    expect(mean(items.map(({ goldQueries }) => goldQueries.length))).toBeCloseTo(3.5, 0);
  });

  it.each(items)(
    'has the rows of its gold queries in the imported database: $uuid',
    async (item) => {
      const { connection } = databaseOf(item);
      for (const { sql, columns, rows } of item.goldQueries) {
        const result = await connection.runAndReadAll(sql);
        expect(result.columnNames()).toEqual(columns);
        expect(result.getRowsJson()).toEqual(rows);
      }
    },
  );

  it.each(items)(
    'takes every number of its answer from results, queries or question: $uuid',
    (item) => {
      const known = numbersIn([item.question, JSON.stringify(item.goldQueries)].join(' '));
      expect([...numbersIn(item.referenceAnswer)].filter((number) => !known.has(number))).toEqual(
        [],
      );
    },
  );
});

const words = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'twelve'];
const values = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12];

/** In figures or, up to twelve, in words. */
const numbersIn = (text: string): ReadonlySet<number> =>
  new Set([
    ...(text.match(/\d+(?:\.\d+)?/g) ?? []).map(Number),
    ...values.filter((_, place) => new RegExp(`\\b${words[place] ?? ''}\\b`, 'i').test(text)),
  ]);
