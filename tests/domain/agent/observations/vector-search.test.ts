import { describe, expect, it } from 'vitest';
import { anyValueOfJson, type Strictness } from '../../../../domain/agent/actions/action.js';
import { classicSearch } from '../../../../domain/agent/observations/observation.js';
import {
  checkSearch,
  filterRefusal,
  type SearchArguments,
} from '../../../../domain/agent/observations/vector-search.js';
import type { Json } from '../../../../domain/formats/python/value.js';
import type { Collection } from '../../../../domain/stores/store-manifest.js';

const sparse: Collection = {
  name: 'text_bm25_en',
  embedder: 'bm25/en',
  metric: 'IP',
  vector: { kind: 'sparse' },
  rows: 9,
};
const dense: Collection = {
  name: 'text_hashing_384',
  embedder: 'hashing/384',
  metric: 'COSINE',
  vector: { kind: 'dense', dimensions: 384 },
  rows: 9,
};
const image: Collection = { ...dense, name: 'image_clip_clip_vit_base_patch32' };

const asked = (changes: Partial<SearchArguments> = {}): SearchArguments => ({
  query: 'ovens',
  collection_name: 'text_bm25_en',
  table_name: 'chunks',
  column_name: 'text_content',
  filter: '',
  limit: anyValueOfJson(5),
  ...changes,
});

function messageOf(
  changes: Partial<SearchArguments>,
  strictness: Strictness,
  collections: readonly Collection[] = [sparse, dense],
): string {
  const check = checkSearch(asked(changes), { collections }, strictness);
  return check.kind === 'refused' ? check.observed.content : 'searched';
}

const textTables =
  "['metadata', 'pages', 'images', 'chunks', 'tables', 'sections', 'equations', 'reference']";

describe.each(['strict', 'tolerant'] as const)('a search checked %s', (strictness) => {
  const fused = strictness === 'strict' ? '' : ", 'text_fused'";
  const names = `['text_bm25_en', 'text_hashing_384'${fused}]`;
  it.each<[string, Partial<SearchArguments>, string]>([
    [
      'a limit that is no number',
      { limit: anyValueOfJson('many') },
      '[Error]: Value of parameter `limit` should be a positive integer.',
    ],
    [
      'a limit of true',
      { limit: anyValueOfJson(true) },
      '[Error]: Value of parameter `limit` should be a positive integer.',
    ],
    [
      'an unknown table',
      { table_name: "authors' list" },
      `[Error]: Table name "authors' list" does not have any encodable column in the Milvus vectorstore. Please choose from these tables ${textTables}.`,
    ],
    [
      'a column that holds no text',
      { table_name: 'chunks', column_name: 'ordinal' },
      "[Error]: Column name 'ordinal' is not a valid encodable column in the table 'chunks'. Please choose from these columns ['text_content'].",
    ],
    ['an empty query', { query: '' }, '[Error]: Query string is empty.'],
    [
      'an unknown collection',
      { collection_name: 'text_bge' },
      `[Error]: Collection 'text_bge' does not exist in the Milvus database. Please choose from these collections ${names}`,
    ],
    [
      'an unknown collection of images',
      { collection_name: 'image_clip', query: 'word '.repeat(200) },
      `[Error]: Collection 'image_clip' does not exist in the Milvus database. Please choose from these collections ${names}`,
    ],
    [
      'an unknown output field',
      { output_fields: anyValueOfJson(['pdf_id', 'vector']) },
      "[Error]: Output field 'vector' is not available in the collection 'text_bm25_en' of Milvus vectorstore. The available output fields include ['pdf_id', 'page_number', 'table_name', 'column_name', 'primary_key']",
    ],
  ])('is refused for %s', (_, changes, message) => {
    expect(messageOf(changes, strictness)).toBe(message);
  });

  it('is refused for a collection of the wrong modality', () => {
    expect(messageOf({ collection_name: image.name }, strictness, [sparse, image])).toBe(
      "[Error]: Column 'chunks.text_content' should be encoded as text vectors, but the collection name 'image_clip_clip_vit_base_patch32' does not match the modality 'text'. Please choose from these collections: ['text_bm25_en'].",
    );
  });

  it('is refused for a query too long for the encoder of an image collection, before anything else', () => {
    const changes = { collection_name: image.name, query: 'word '.repeat(100), table_name: 'none' };
    expect(messageOf(changes, strictness, [sparse, image])).toBe(
      '[Error]: The query string is too long. You can try to shorten it.',
    );
  });

  it.each<[string, Partial<SearchArguments>, string]>([
    ['limit before table', { limit: anyValueOfJson(''), table_name: 'x' }, 'limit'],
    ['table before query', { table_name: 'x', query: '' }, 'Table name'],
    ['column before query', { column_name: 'x', query: '' }, 'Column name'],
    ['query before collection', { query: '', collection_name: 'x' }, 'Query string'],
    [
      'collection before output fields',
      { collection_name: 'x', output_fields: anyValueOfJson(['y']) },
      'Collection',
    ],
  ])('is told of %s', (_, changes, beginning) => {
    expect(messageOf(changes, strictness)).toContain(beginning);
  });
});

describe('a limit', () => {
  it.each<[Json, number | null, number | null]>([
    [3, 3, 3],
    ['3', 3, 3],
    ['+ 3', null, null],
    ['5.0', null, 5],
    [0, 0, null],
    [-2, -2, null],
    ['0', null, null],
    [null, null, null],
  ])('of %j is %j when strict and %j by default', (value, strict, tolerant) => {
    const limitWhen = (strictness: Strictness): number | null => {
      const check = checkSearch(
        asked({ limit: anyValueOfJson(value) }),
        { collections: [sparse] },
        strictness,
      );
      return check.kind === 'search' ? check.search.limit : null;
    };
    expect([limitWhen('strict'), limitWhen('tolerant')]).toEqual([strict, tolerant]);
  });
});

it('offers by default only columns of which there are collections', () => {
  const box = { table_name: 'images', column_name: 'bounding_box' };
  expect(messageOf(box, 'tolerant')).toContain("['image_caption', 'image_summary']");
  expect(messageOf(box, 'strict')).toContain('should be encoded as image vectors');
});

it('takes a blank query for empty, but not when strict', () => {
  expect(messageOf({ query: ' ' }, 'tolerant')).toBe('[Error]: Query string is empty.');
  expect(messageOf({ query: ' ' }, 'strict')).toBe('searched');
});

it('keeps a search to its cells and to what the filter asks', () => {
  const filters = ['', 'page_number == 1 or page_number == 2'].map((filter) => {
    const check = checkSearch(asked({ filter }), { collections: [sparse] }, 'strict');
    return check.kind === 'search' ? check.search.filter : null;
  });
  const cells = "table_name == 'chunks' and column_name == 'text_content'";
  expect(filters).toEqual([cells, `${cells} and (page_number == 1 or page_number == 2)`]);
});

describe('a filter that the vectorstore refuses', () => {
  const paper = (name: string): string =>
    `\`${name}\` is not a valid field name of stored data entries in the vectorstore, please use \`pdf_id\` instead`;
  const page = (name: string): string =>
    `\`${name}\` is not a valid field name of stored data entries in the vectorstore, please use the integer \`page_number\` instead of UUID`;

  it.each([
    ["paper_id == 'x'", `${paper('paper_id')}.`],
    ["ref_paper_id == 'x'", `${paper('ref_paper_id')}.`],
    ["ref_page_id == 'x'", `${page('page_id')}.`],
    ['ref_page_number == 3', `${page('ref_page_number')}.`],
    ["page_id == 'a' and paper_id == 'b'", `${paper('paper_id')}; ${page('page_id')}.`],
    ['pdf_id ===', 'cannot parse expression'],
  ])('is explained: %s', (filter, why) => {
    const quoted = filter.includes("'") ? `"${filter}"` : `'${filter}'`;
    expect(filterRefusal(filter, 'cannot parse expression').content).toBe(
      `[Error]: Filter condition ${quoted} is not valid. ${why}`,
    );
  });
});

describe('ClassicRetrieve', () => {
  const action = { query: 'ovens', limit: anyValueOfJson(4) };

  it('is a search of the passages by dense vectors', () => {
    expect(classicSearch(action, [sparse, dense], "pdf_id == 'p'")).toEqual(
      asked({ collection_name: dense.name, limit: action.limit, filter: "pdf_id == 'p'" }),
    );
  });

  it('is a search by words in a store without dense vectors', () => {
    expect(classicSearch(action, [sparse], '').collection_name).toBe('text_bm25_en');
  });
});
