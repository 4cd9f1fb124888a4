import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { methods } from '../../../domain/methods/methods.js';
import { encodablePairs } from '../../../domain/papers/encodable-cells.js';
import {
  renderDatabaseSchema,
  type DatabaseDescription,
} from '../../../domain/papers/paper-schema.js';
import { iterativeSystemMessage } from '../../../domain/prompts/method-prompts.js';
import { taskMessage } from '../../../domain/prompts/task-message.js';
import { datasetItemSchema } from '../../../domain/questions/dataset-item.js';
import {
  fieldsOncePerModality,
  vectorstoreSchemaText,
} from '../../../domain/stores/vectorstore-schema.js';

const shared = new URL('../../../../shared/', import.meta.url);
const file = (path: string): string => readFileSync(new URL(path, shared), 'utf8');
const json = (path: string): unknown => JSON.parse(file(path));

const columnSchema = z.object({
  column_name: z.string(),
  column_type: z.string(),
  description: z.string(),
  encodable: z.string().optional(),
});
const databaseSchema = z.object({
  database_name: z.string(),
  description: z.string(),
  database_schema: z.array(
    z.object({
      table: z.object({ table_name: z.string(), description: z.string() }),
      columns: z.array(columnSchema),
      primary_keys: z.array(z.string()),
      foreign_keys: z.array(z.tuple([z.string(), z.string(), z.string()])).default([]),
    }),
  ),
});
const collectionSchema = z.looseObject({
  collection_name: z.string(),
  modality: z.string(),
  fields: z.array(z.looseObject({})),
});

const without = (object: object, ...keys: readonly string[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));

/** The parts of a message between rules, each by its first line. */
const outline = (text: string): readonly string[] =>
  text.split('\n--------\n').map((part) => part.trim().split('\n')[0] ?? '');

/** The JSON values of a text whose lines `[` or `{` open them. */
const jsonIn = (text: string): readonly unknown[] =>
  [...text.matchAll(/^[[{]\n.*?^[\]}]$/gms)].map(([value]): unknown => JSON.parse(value));

// An extra: the seeds and the reference's data lie beside the checkout where this project was made, and nowhere else.
describe.skipIf(!existsSync(shared))('the prompt of the seed trajectories', () => {
  const messages = existsSync(shared)
    ? file('seeds/trajectory-newsbench.jsonl')
        .trim()
        .split('\n')
        .map((line) => z.object({ content: z.string() }).parse(JSON.parse(line)).content)
    : [];
  const [system = '', task = ''] = messages;
  const [before = '', vectorstore = ''] = task.split('[Vectorstore Schema]: ');
  const [question = '', database = ''] = before.split('[Database Schema]: ');

  it('begins its task with the blocks that a dataset item gives', () => {
    const item = file('data/airqa/test_data_553.jsonl')
      .split('\n')
      .filter((line) => line.includes('139b4a99-'))
      .map((line) => datasetItemSchema.parse(JSON.parse(line)))[0];
    expect(item && taskMessage(item, { kind: 'ids' })).toBe(question.trimEnd());
  });

  it('has the database schema that its description gives, but for the path and a stray comma', () => {
    const described = databaseSchema.parse(json('data/airqa/ai_research.json'));
    const tables = described.database_schema.map(({ table, columns, ...keys }) => {
      const columnsByName = columns.map(
        ({ column_name: name, column_type: type, description }) =>
          [name, { type, description: description.replaceAll(';', ',') }] as const,
      );
      const spec: DatabaseDescription['tables'][string] = {
        description: table.description,
        primaryKey: keys.primary_keys.join(', '),
        foreignKeys: keys.foreign_keys.map(([column, referred, references]) => ({
          column,
          table: referred,
          references,
        })),
        columns: Object.fromEntries(columnsByName),
      };
      return [table.table_name, spec] as const;
    });
    const rendered = renderDatabaseSchema(described.database_name, {
      description: described.description,
      tables: Object.fromEntries(tables),
    });
    const seen = database.replace(/\/home\/\S+/, 'ai_research').replaceAll(/,(?=\n\tPRIMARY)/g, '');
    expect(rendered).toBe(seen.trimEnd());
  });

  it('has the vectorstore schema that its description gives', () => {
    const collections = z
      .array(collectionSchema)
      .parse(json('data/airqa/vectorstore_schema.json'))
      .filter(({ collection_name: name }) => !/bge|clip/.test(name))
      .map((collection) => ({
        ...without(collection, 'indexes'),
        collection_name: collection.collection_name,
        modality: collection.modality,
        fields: collection.fields.map((field) => without(field, 'max_length', 'max_capacity')),
      }));
    const rendered = vectorstoreSchemaText({
      name: 'ai_research',
      collections: fieldsOncePerModality(collections),
      pairs: encodablePairs.flatMap(({ table, column, modality }) =>
        modality === 'text' ? [[table, column, modality]] : [],
      ),
      operators: json('data/airqa/filter_rules.json'),
    });
    expect(jsonIn(rendered)).toHaveLength(3);
    expect(jsonIn(rendered)).toEqual(jsonIn(vectorstore));
  });

  it('has the sections of ours, and specifies the same actions in the same layout', () => {
    const method = methods.hybrid_react;
    if (method.kind !== 'iterative') throw new Error('hybrid_react works in turns');
    const settings = { actionFormat: 'markdown', maxTurns: 20, strict: true } as const;
    const ours = iterativeSystemMessage(method, settings);
    expect(outline(ours).slice(1)).toEqual(outline(system).slice(1));
    const layout = (text: string) =>
      [
        ...text.matchAll(
          /^(?:#{2,4} .*|[A-Z]\w+\(.*|- \w+: \w+, (?:required|optional, default to \d+)|\[Action\]:|\d\. |----$)/gm,
        ),
      ]
        .map(([line]) => line)
        .filter((line) => !/^\d\. /.test(line));
    expect(layout(ours)).toEqual(layout(system));
    expect(ours.endsWith('\n')).toBe(system.endsWith('\n'));
    expect([ours, system].map((text) => text.trim().split('\n').at(-1))).toEqual([
      expect.stringMatching(/\b20\b.*\bturns\b/),
      expect.stringMatching(/\b20\b.*\bturns\b/),
    ]);
  });
});
