import { expect, it } from 'vitest';
import { taskMessage } from '../../../../domain/agent/prompts/method-prompts.js';
import { datasetItemSchema, type DatasetItem } from '../../../../domain/scoring/dataset-item.js';
import {
  renderDatabaseSchema,
  type DatabaseDescription,
} from '../../../../domain/stores/database-schema.js';
import {
  vectorstoreSchemaText,
  type VectorstoreDescription,
} from '../../../../domain/stores/vectorstore-schema.js';

/** Small, with one of everything that a layout must get right. */
const bakery: DatabaseDescription = {
  description: 'Ovens and what they bake.',
  tables: {
    ovens: {
      description: 'An oven a row.',
      primaryKey: 'oven_id',
      foreignKeys: [],
      columns: {
        oven_id: { type: 'UUID', description: 'Of the oven.', encode: 'none' },
        manual: { type: 'VARCHAR', description: 'How it is used.', encode: 'text' },
      },
    },
    loaves: {
      description: 'A loaf a row.',
      primaryKey: 'loaf_id',
      foreignKeys: [
        { column: 'ref_oven_id', table: 'ovens', references: 'oven_id' },
        { column: 'ref_loaf_id', table: 'loaves', references: 'loaf_id' },
      ],
      columns: {
        loaf_id: { type: 'UUID', description: 'Of the loaf.', encode: 'none' },
        picture: { type: 'INTEGER[4]', description: 'Where it is seen.', encode: 'image' },
        ref_oven_id: { type: 'UUID', description: 'Its oven.', encode: 'none' },
        ref_loaf_id: { type: 'UUID', description: 'The one before it.', encode: 'none' },
      },
    },
  },
};

const collection = (name: string, modality: string) => ({
  collection_name: name,
  modality,
  fields: [{ name: 'id', dtype: 'INT64' }],
});
const vectorstore: VectorstoreDescription = {
  name: 'bakery',
  tables: bakery.tables,
  collections: [collection('text_a', 'text'), collection('text_b', 'text')],
  operators: { logical: ['and'] },
};

it('a task holds both schemas, tables as statements and collections as JSON', () => {
  const item = datasetItemSchema.parse({
    uuid: 'q',
    question: 'How warm?',
    answer_format: 'degrees',
    anchor_pdf: ["it's"],
    conference: ['acl2023'],
  });
  const task = taskMessage(item, { kind: 'ids' }, [
    `[Database Schema]: ${renderDatabaseSchema('bakery', bakery)}`,
    `[Vectorstore Schema]: ${vectorstoreSchemaText(vectorstore)}`,
  ]);
  expect(task.split('\n')).toEqual([
    '[Question]: How warm?',
    '[Answer Format]: degrees',
    `[Anchor PDF]: "it's"`,
    '[Conference]: acl2023',
    '[Database Schema]: The database schema for bakery is as follows:',
    '/* database bakery: Ovens and what they bake.',
    '*/',
    '/* table ovens: An oven a row.',
    '*/',
    'CREATE TABLE IF NOT EXISTS ovens (',
    '\toven_id UUID, -- Of the oven.',
    '\tmanual VARCHAR, -- How it is used.',
    '\tPRIMARY KEY (oven_id)',
    ');',
    '/* table loaves: A loaf a row.',
    '*/',
    'CREATE TABLE IF NOT EXISTS loaves (',
    '\tloaf_id UUID, -- Of the loaf.',
    '\tpicture INTEGER[4], -- Where it is seen.',
    '\tref_oven_id UUID, -- Its oven.',
    '\tref_loaf_id UUID, -- The one before it.',
    '\tPRIMARY KEY (loaf_id),',
    '\tFOREIGN KEY (ref_oven_id) REFERENCES ovens(oven_id),',
    '\tFOREIGN KEY (ref_loaf_id) REFERENCES loaves(loaf_id)',
    ');',
    expect.stringMatching(/^\[Vectorstore Schema\]: The vectorstore schema for bakery is .*:$/),
    ...JSON.stringify(
      [
        collection('text_a', 'text'),
        {
          ...collection('text_b', 'text'),
          fields: 'The fields of this collection are similar to the `text_a` collection.',
        },
      ],
      null,
      4,
    ).split('\n'),
    '',
    expect.stringMatching(/:$/),
    ...JSON.stringify([['ovens', 'manual', 'text']], null, 4).split('\n'),
    '',
    expect.stringMatching(/:$/),
    ...JSON.stringify({ logical: ['and'] }, null, 4).split('\n'),
  ]);
});

it('cells of pictures are told where a collection of pictures is, with its own fields', () => {
  const collections = [...vectorstore.collections, collection('image_a', 'image')];
  const [told = '', pairs = ''] = vectorstoreSchemaText({ ...vectorstore, collections }).split(
    '\n\n',
  );
  expect(json(told)).toMatchObject([
    { fields: [{ name: 'id' }] },
    { fields: expect.stringContaining('`text_a`') as string },
    { fields: [{ name: 'id' }] },
  ]);
  expect(json(pairs)).toEqual([
    ['ovens', 'manual', 'text'],
    ['loaves', 'picture', 'image'],
  ]);
});

it('cells are described by their tables and columns where no database schema says what they are', () => {
  const [, pairs = ''] = vectorstoreSchemaText(vectorstore, 'described').split('\n\n');
  expect(json(pairs)).toEqual([
    {
      table_name: 'ovens',
      table_description: 'An oven a row.',
      encoded_columns: [
        {
          column_name: 'manual',
          column_type: 'VARCHAR',
          column_description: 'How it is used.',
          encode_modality: 'text',
        },
      ],
    },
  ]);
});

const json = (part: string): unknown => JSON.parse(part.slice(part.indexOf('\n')));

it.each<[string, Partial<DatasetItem>, readonly string[]]>([
  ['nothing but a question', {}, ['[Answer Format]:']],
  [
    'a format and one paper',
    { answer_format: 'a number', anchor_pdf: ['p1'] },
    ['[Answer Format]: a number', "[Anchor PDF]: 'p1'"],
  ],
  [
    'several papers and conferences',
    { answer_format: 'a list', anchor_pdf: ['p1', 'p2'], conference: ['acl2023', 'iclr2024'] },
    [
      '[Answer Format]: a list',
      "[Anchor PDFs]: ['p1', 'p2']",
      '[Conferences]: [acl2023, iclr2024]',
    ],
  ],
  [
    'one conference and no format',
    { conference: ['acl2023'] },
    ['[Answer Format]: ', '[Conference]: acl2023'],
  ],
])('tells %s in labelled lines, with the schemas after them', (_name, fields, lines) => {
  const item = datasetItemSchema.parse({ uuid: 'q1', question: 'Why?', ...fields });
  expect(
    taskMessage(item, { kind: 'ids' }, ['[Database Schema]: x', '[Vectorstore Schema]: y']),
  ).toBe(
    ['[Question]: Why?', ...lines, '[Database Schema]: x', '[Vectorstore Schema]: y'].join('\n'),
  );
});

it('names the papers of reference_pdf only where the run says so', () => {
  const item = datasetItemSchema.parse({
    ...{ uuid: 'q1', question: 'Why?', answer_format: 'a number' },
    ...{ anchor_pdf: ['p1'], reference_pdf: ['p2', 'p3'], conference: ['acl2023'] },
  });
  const shown = taskMessage(item, { kind: 'ids' }, [], { references: true }).split('\n');
  expect(shown.slice(2)).toEqual([
    "[Anchor PDF]: 'p1'",
    "[Reference PDFs]: ['p2', 'p3']",
    '[Conference]: acl2023',
  ]);
  expect(taskMessage(item, { kind: 'ids' })).not.toContain('Reference PDF');
});
