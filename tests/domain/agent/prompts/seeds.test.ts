import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { methods } from '../../../../domain/agent/methods.js';
import {
  renderDatabaseSchema,
  type DatabaseDescription,
  type DescribedTable,
} from '../../../../domain/stores/database-schema.js';
import {
  iterativeSystemMessage,
  taskMessage,
} from '../../../../domain/agent/prompts/method-prompts.js';
import { requestMessages } from '../../../../domain/agent/conversation.js';
import { datasetItemSchema } from '../../../../domain/scoring/dataset-item.js';
import { contentText, messageSchema } from '../../../../domain/models/chat-message.js';
import { vectorstoreSchemaText } from '../../../../domain/stores/vectorstore-schema.js';
import { exampleManifest } from '../../../support/runs/example-manifest.js';
import { questionMaterial } from '../../../support/runs/question-material.js';

const shared = new URL('../../../../../shared/', import.meta.url);
const present = existsSync(shared);
const file = (path: string): string => readFileSync(new URL(path, shared), 'utf8');
const json = (path: string): unknown => JSON.parse(file(path));

const databaseSchema = z.object({
  database_name: z.string(),
  description: z.string(),
  database_schema: z.array(
    z.object({
      table: z.object({ table_name: z.string(), description: z.string() }),
      columns: z.array(
        z.object({
          column_name: z.string(),
          column_type: z.string(),
          description: z.string(),
          encodable: z.enum(['none', 'text', 'image']).default('none'),
        }),
      ),
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

/** The reference's database, as its file describes it. */
function databaseOf(described: z.infer<typeof databaseSchema>): DatabaseDescription {
  const tables = described.database_schema.map(
    ({ table, columns, primary_keys: primaryKeys, foreign_keys: foreignKeys }) => {
      const spec: DescribedTable = {
        description: table.description,
        primaryKey: primaryKeys.join(', '),
        foreignKeys: foreignKeys.map(([column, referred, references]) => ({
          column,
          table: referred,
          references,
        })),
        columns: Object.fromEntries(
          columns.map(({ column_name: name, column_type: type, description, encodable }) => [
            name,
            // A semicolon would end the statement for simple readers of it: the reference writes a comma.
            { type, description: description.replaceAll(';', ','), encode: encodable },
          ]),
        ),
      };
      return [table.table_name, spec] as const;
    },
  );
  return { description: described.description, tables: Object.fromEntries(tables) };
}

/** The collections of the seeds' runs, without the fields that the model does not see. */
const collectionsOf = (described: unknown) =>
  z
    .array(collectionSchema)
    .parse(described)
    .filter(({ collection_name: name }) => !/bge|clip/.test(name))
    .map(({ collection_name: name, modality, fields, ...rest }) => ({
      collection_name: name,
      modality,
      ...without(rest, 'indexes'),
      fields: fields.map((field) => without(field, 'max_length', 'max_capacity')),
    }));

const without = (object: object, ...keys: readonly string[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));

/** The parts of a message between rules, each by its first line. */
const outline = (text: string): readonly string[] =>
  text.split('\n--------\n').map((part) => part.trim().split('\n')[0] ?? '');

/** Lines that say what an action is and how it is written, and those of the framework. */
const layout = (text: string): readonly string[] =>
  [
    ...text.matchAll(
      /^(?:#{2,4} .*|[A-Z]\w+\(.*|- \w+: \w+, (?:required|optional, default to \d+)|\[(?:Thought|Action|Observation)\]:|----$)|\['Retrieve\w+'(?:, '\w+')*\]/gm,
    ),
  ].map(([line]) => line);

/** The first two messages of a seed. */
const openingOf = (name: string): readonly string[] =>
  file(`seeds/trajectory-${name}.jsonl`)
    .split('\n', 2)
    .map((line) => contentText(messageSchema.parse(JSON.parse(line)).content));

const labels = (task: string): readonly string[] =>
  [...task.matchAll(/^\[[A-Z][A-Za-z ]+\](?=: )/gm)].map(([label]) => label);

/** A text whose sentences before JSON are cut to their colon: they are each author's own. */
const withoutSentences = (text: string): string =>
  text.replaceAll(/^(\[[^\]]+\]: )?[A-Z][^\n]*:\n(?=[[{]\n)/gm, '$1…:\n');

/** Removes two defects of the reference system's file: a path of its author's machine and a superfluous comma. */
const withoutDefects = (text: string): string =>
  text.replace(/\/home\/\S+/, 'ai_research').replaceAll(/,(?=\n\tPRIMARY)/g, '');

// An extra: the seeds and the reference's data lie beside the checkout where this project was made, and nowhere else.
describe.skipIf(!present).each(['newsbench', 'wassa'])('the seed trajectory %s', (name) => {
  const [system = '', task = ''] = present ? openingOf(name) : [];
  const [, question = '', answerFormat = '', anchor = ''] =
    /^\[Question\]: (.*)\n\[Answer Format\]: (.*)\n\[Anchor PDF\]: '(.*)'\n/.exec(task) ?? [];

  it('begins with the task that our renderers make of the same question and schemas', () => {
    const described = databaseSchema.parse(json('data/airqa/ai_research.json'));
    const item = datasetItemSchema.parse({
      uuid: name,
      question,
      answer_format: answerFormat,
      anchor_pdf: [anchor],
    });
    const database = databaseOf(described);
    const vectorstore = vectorstoreSchemaText({
      name: described.database_name,
      collections: collectionsOf(json('data/airqa/vectorstore_schema.json')),
      tables: database.tables,
      operators: json('data/airqa/filter_rules.json'),
    });
    const rendered = taskMessage(item, { kind: 'ids' }, [
      `[Database Schema]: ${renderDatabaseSchema(described.database_name, database)}`,
      `[Vectorstore Schema]: ${vectorstore}`,
    ]);
    expect(withoutSentences(rendered)).toBe(withoutSentences(withoutDefects(task)));
    expect(withoutSentences(rendered).match(/…:$/gm)).toHaveLength(3);
  });

  it('has the labels of a task of ours, in their order', () => {
    const material = questionMaterial(
      { method: 'hybrid_react', strict: true },
      { question, answer_format: answerFormat, anchor_pdf: [anchor] },
    );
    const ours = requestMessages(material, 1, []).map(({ content }) => contentText(content));
    expect(ours).toHaveLength(2);
    expect(labels(ours[1] ?? '')).toEqual(labels(task));
  });

  it('has a system message of the same sections and actions, in the same layout', () => {
    const method = methods.hybrid_react;
    if (method.kind !== 'iterative') throw new Error('hybrid_react works in turns');
    const settings = { ...exampleManifest().config, strict: true };
    const ours = iterativeSystemMessage(method, settings, exampleManifest().store);
    expect(outline(ours).slice(1)).toEqual(outline(system).slice(1));
    expect(layout(ours)).toEqual(layout(system));
    expect([ours, system].map((text) => text.endsWith('\n'))).toEqual([true, true]);
    expect([ours, system].map((text) => text.trim().split('\n').at(-1))).toEqual([
      expect.stringMatching(/\b20\b.*\bturns\b/),
      expect.stringMatching(/\b20\b.*\bturns\b/),
    ]);
  });
});

describe.skipIf(!present)('the data of the seeds', () => {
  it('has the statements that its description gives, except the superfluous comma', () => {
    const described = databaseSchema.parse(json('data/airqa/ai_research.json'));
    const rendered = renderDatabaseSchema(described.database_name, databaseOf(described));
    const [, statements] = rendered.split(/^[^\n]*\n/);
    expect(statements).toBe(withoutDefects(file('data/airqa/ai_research.sql')).trim());
  });

  it('has the item whose task the first seed begins with', () => {
    const [, task = ''] = openingOf('newsbench');
    const item = file('data/airqa/test_data_553.jsonl')
      .split('\n')
      .filter((line) => line.includes('139b4a99-'))
      .map((line) => datasetItemSchema.parse(JSON.parse(line)))[0];
    const [before = ''] = task.split('\n[Database Schema]: ');
    expect(item && taskMessage(item, { kind: 'ids' })).toBe(before);
  });
});
