import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { storeNameSchema } from '../../../domain/ids.js';
import { databaseIdSchema } from '../../../domain/stores/database.js';
import {
  renderStoreSchema,
  createTableStatements,
  encodablePairs,
  renderDatabaseSchema,
  partsOfCells,
  splitIntoParts,
} from '../../../domain/stores/database-schema.js';
import { bm25Collection } from '../../../domain/stores/store-manifest.js';
import { renderVectorstoreSchema } from '../../../domain/stores/vectorstore-schema.js';

describe('the database schema', () => {
  const text = renderDatabaseSchema('papers');

  it('names the store and nothing of the machine', () => {
    expect(text).toMatch(/^The database schema for papers is as follows:\n\/\* database papers: /);
    expect(text).not.toContain(process.cwd());
  });

  it('shows the model the very statements that DuckDB runs', () => {
    for (const statement of createTableStatements()) expect(text).toContain(statement);
  });

  it('creates the tables, columns and types of the reference system', async () => {
    const connection = await (await DuckDBInstance.create()).connect();
    await connection.run(text.slice(text.indexOf('\n')));
    const columns = await connection.runAndReadAll(`
      SELECT table_name || ': ' || string_agg(column_name || ' ' || data_type, ', ' ORDER BY column_index)
      FROM duckdb_columns() WHERE NOT internal GROUP BY table_name ORDER BY table_name`);
    expect(columns.getRows().flat()).toEqual([
      'chunks: chunk_id UUID, text_content VARCHAR, ordinal INTEGER, ref_paper_id UUID, ref_page_id UUID',
      'equations: equation_id UUID, equation_content VARCHAR, ordinal INTEGER, ref_paper_id UUID, ref_page_id UUID',
      'images: image_id UUID, image_caption VARCHAR, image_summary VARCHAR, bounding_box INTEGER[4], ordinal INTEGER, ref_paper_id UUID, ref_page_id UUID',
      'metadata: paper_id UUID, title VARCHAR, abstract VARCHAR, num_pages INTEGER, conference_full VARCHAR, conference_abbreviation VARCHAR, pub_year INTEGER, volume VARCHAR, download_url VARCHAR, bibtex VARCHAR, authors VARCHAR[], pdf_path VARCHAR, tldr VARCHAR, tags VARCHAR[]',
      'pages: page_id UUID, page_number INTEGER, page_width INTEGER, page_height INTEGER, page_content VARCHAR, page_summary VARCHAR, ref_paper_id UUID',
      'reference: reference_id UUID, reference_content VARCHAR, ordinal INTEGER, ref_paper_id UUID, ref_page_id UUID',
      'sections: section_id UUID, section_title VARCHAR, section_content VARCHAR, section_summary VARCHAR, ordinal INTEGER, page_numbers INTEGER[], ref_paper_id UUID',
      'tables: table_id UUID, table_caption VARCHAR, table_content VARCHAR, table_summary VARCHAR, bounding_box INTEGER[4], ordinal INTEGER, ref_paper_id UUID, ref_page_id UUID',
    ]);
    const keys = await connection.runAndReadAll(
      `SELECT count(*) FROM duckdb_constraints() WHERE constraint_type = 'FOREIGN KEY'`,
    );
    expect(keys.getRows()).toEqual([[12n]]);
  });

  it('encodes 17 columns as text and two as images', () => {
    const count = (modality: string) =>
      encodablePairs.filter((pair) => pair.modality === modality).length;
    expect([count('text'), count('image')]).toEqual([17, 2]);
  });
});

describe('the schemas of a store that holds a database', () => {
  const cell = { type: 'VARCHAR', nullable: true };
  const table = (name: string, ...columns: readonly string[]) => ({
    ...{ name, description: `about ${name}`, rows: 2, primaryKey: ['id'], foreignKeys: [] },
    columns: columns.map((column) => ({ name: column, description: `its ${column}`, ...cell })),
  });
  const store = {
    name: storeNameSchema.parse('shop'),
    collections: [{ ...bm25Collection, rows: 3 }],
    database: {
      id: databaseIdSchema.parse('0'.repeat(32)),
      ...{ name: 'my', sha256: 'a'.repeat(64) },
      tables: [table('order', 'id', 'note'), table('staff', 'id', 'cv')],
      searched: [
        { table: 'order', key: ['rowid'], columns: ['note'] },
        { table: 'staff', key: ['id'], columns: ['cv'] },
      ],
    },
  };

  it('show its tables under the name of the store', () => {
    const text = renderStoreSchema(store);
    expect(text).toMatch(/^The database schema for shop is as follows:\n-- SQL dialect: DuckDB/);
    expect(text).toContain('-- about order\nCREATE TABLE "order" (');
  });

  it('show what is searched, how hits name rows, and nothing of papers', () => {
    const bare = renderVectorstoreSchema(store);
    expect(bare).toContain('"order",\n        "note",\n        "text"');
    expect(bare).toContain('In order: its rowid, by which SQL finds it too.');
    expect(bare).not.toMatch(/pdf_id|page_number|paper/i);
    expect(renderVectorstoreSchema(store, 'described')).toContain('"column_description": "its cv"');
  });
});

describe('the vectorstore schema', () => {
  const text = renderVectorstoreSchema({
    name: storeNameSchema.parse('papers'),
    collections: [
      { ...bm25Collection, rows: 3 },
      {
        name: 'text_hashing_384',
        embedder: 'hashing/384',
        metric: 'COSINE',
        vector: { kind: 'dense', dimensions: 384 },
        rows: 3,
      },
    ],
  });
  const [collections, pairs, operators, ...rest] = text
    .split('\n\n')
    .map((part): unknown => JSON.parse(part.slice(part.indexOf('\n'))));

  it('has three parts, each a sentence and JSON', () => {
    expect(text).toMatch(/^The vectorstore schema for papers is as follows\./);
    expect([typeof operators, rest]).toEqual(['object', []]);
  });

  it('lists the collections of the store, what embeds, the key, and fields once a modality', () => {
    expect(collections).toMatchObject([
      {
        collection_name: 'text_bm25_en',
        embedder: 'bm25/en',
        fields: [
          { name: 'id', is_primary: true },
          { name: 'vector', dtype: 'SPARSE_FLOAT_VECTOR' },
          { name: 'pdf_id' },
          { name: 'page_number', dtype: 'INT16' },
          { name: 'table_name' },
          { name: 'column_name' },
          { name: 'primary_key' },
        ],
      },
      {
        collection_name: 'text_hashing_384',
        embedder: 'hashing/384',
        fields: 'The fields of this collection are similar to the `text_bm25_en` collection.',
      },
      {
        collection_name: 'text_fused',
        embedder: 'bm25/en and hashing/384',
        fields: 'The fields of this collection are similar to the `text_bm25_en` collection.',
      },
    ]);
  });

  it('describes a collection of pictures with its box and the operators of lists', () => {
    const schema = renderVectorstoreSchema({
      name: storeNameSchema.parse('papers'),
      collections: [
        { ...bm25Collection, rows: 3 },
        {
          name: 'image_vllm_clip',
          embedder: 'vllm/clip',
          metric: 'COSINE',
          vector: { kind: 'dense', dimensions: 512 },
          rows: 2,
        },
      ],
    });
    expect(schema).toContain('"name": "bbox"');
    expect(schema).toContain('array_contains(bbox, 72)');
    expect(schema).toContain('"images",\n        "bounding_box",\n        "image"');
    expect(text).not.toContain('bbox');
  });

  it('lists no pair of a modality the store has no collection of', () => {
    expect(pairs).toHaveLength(17);
    expect(pairs).toContainEqual(['chunks', 'text_content', 'text']);
  });
});

/** A sentence of `words` words, each a word piece, and its period. */
const sentence = (words: number, word = 'oven'): string =>
  `Every ${Array.from({ length: words - 1 }, () => word).join(' ')}.`;

describe('the parts of a text', () => {
  it.each(['', 'A short text.', '  with\nwhite space ', sentence(199)])(
    'leave %j as it is',
    (text) => {
      expect(splitIntoParts(text)).toEqual([text]);
    },
  );

  it('hold as many whole sentences as fit', () => {
    const [first, second, third] = [sentence(99), sentence(99), sentence(50)];
    expect(splitIntoParts(`${first}\n${second} ${third}`)).toEqual([`${first} ${second}`, third]);
  });

  it('split a long sentence between words', () => {
    const parts = splitIntoParts(sentence(450));
    expect(parts.map((part) => part.split(' ').length)).toEqual([200, 200, 50]);
    expect(parts.join(' ')).toBe(sentence(450));
  });

  it('split a long word anywhere', () => {
    const parts = splitIntoParts('x'.repeat(1_201));
    expect(parts.join('').replaceAll(' ', '')).toBe('x'.repeat(1_201));
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(1_010);
  });

  it('split a table between rows', () => {
    const row = `<tr><td>${sentence(70)}</td></tr>`;
    const parts = splitIntoParts(`<table>${row.repeat(4)}</table>`);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts.slice(0, -1)) expect(part).toMatch(/<\/tr>$/);
  });

  it('count the signs of other scripts one by one, and split at their full stops', () => {
    const chinese = `${'烤'.repeat(120)}。`;
    expect(splitIntoParts(chinese.repeat(2))).toEqual([chinese, chinese]);
  });

  it('do not take a number or an abbreviation in a sentence for its end', () => {
    const text = `${sentence(190).slice(0, -1)} see e.g. the error of 4.5 ovens and more of them. The end.`;
    for (const part of splitIntoParts(text)) {
      expect(part).not.toMatch(/^(?:5|the error)/);
    }
  });

  it('name their cell', () => {
    const cell = {
      table: 'pages',
      column: 'page_content',
      primaryKey: 'p',
      pageNumber: 1,
      text: `${sentence(150)} ${sentence(150)}`,
    } as const;
    expect(partsOfCells([cell])).toEqual([
      { cell, text: sentence(150) },
      { cell, text: sentence(150) },
    ]);
  });
});
