import type { StoredDatabase } from './database.js';
import {
  encodablePairsOf,
  encodedTables,
  type EncodablePair,
  type EncodedTables,
} from './database-schema.js';
import { rowNumber } from './searched-tables.js';
import { modalityOf, type Collection, type StoreManifest } from './store-manifest.js';

/** The description of a store's vectorstore in the prompt. @param offersFused - whether agents may search both collections of texts at once */
export const renderVectorstoreSchema = (
  { name, collections, database }: Pick<StoreManifest, 'name' | 'collections' | 'database'>,
  pairs: 'bare' | 'described' = 'bare',
  offersFused = true,
): string =>
  vectorstoreSchemaText(
    {
      name,
      collections: [
        ...collections.map((collection) => described(collection, database)),
        ...(offersFused ? fusedCollection(collections) : []),
      ],
      tables: encodedTables(database),
      operators: operatorsFor(collections, database),
    },
    pairs,
  );

function operatorsFor(
  collections: readonly Collection[],
  database: StoredDatabase | undefined,
): unknown {
  if (database !== undefined) return databaseOperators;
  const hasPictures = collections.some(({ name }) => modalityOf(name) === 'image');
  return hasPictures ? pictureOperators : filterOperators;
}

/** A vectorstore, as the prompt describes it. */
export interface VectorstoreDescription {
  readonly name: string;
  readonly collections: readonly DescribedCollection[];
  /** The tables whose cells are embedded. */
  readonly tables: EncodedTables;
  readonly operators: unknown;
}

/**
 * The text of a vectorstore schema: three parts, each with a sentence and JSON. `described` also explains the table and column
 * of each embedded cell, for methods that show no database schema.
 */
export function vectorstoreSchemaText(
  { name, collections, tables, operators }: VectorstoreDescription,
  pairs: 'bare' | 'described' = 'bare',
): string {
  const modalities = new Set(collections.map(({ modality }) => modality));
  const encoded = encodablePairsOf(tables).filter(({ modality }) => modalities.has(modality));
  const shown =
    pairs === 'described'
      ? describedPairs(encoded, tables)
      : encoded.map(({ table, column, modality }) => [table, column, modality]);
  const which = modalities.size > 1 ? 'The collections of one modality' : 'Its collections';
  return [
    `The vectorstore schema for ${name} is as follows. ${which} hold the same cells under different encodings, so another collection is worth a try:\n${indented(fieldsOncePerModality(collections))}`,
    `Entries of the collections are made from cells of the database: each non-empty cell of the following (table, column, modality) is encoded as it stands; for images, the part of the page that the box in the cell shows. table_name, column_name and primary_key of an entry lead back to its cell:\n${indented(shown)}`,
    `Filter conditions of a search may use these operators on the fields above:\n${indented(operators)}`,
  ].join('\n\n');
}

interface DescribedCollection {
  readonly collection_name: string;
  readonly modality: string;
  readonly fields: unknown;
  readonly [fact: string]: unknown;
}

/** Lists the fields of the first collection of each modality; later collections refer to it. */
function fieldsOncePerModality(
  collections: readonly DescribedCollection[],
): readonly DescribedCollection[] {
  const first = new Map<string, string>();
  return collections.map((collection) => {
    const like = first.get(collection.modality);
    if (like === undefined) first.set(collection.modality, collection.collection_name);
    return like === undefined
      ? collection
      : {
          ...collection,
          fields: `The fields of this collection are similar to the \`${like}\` collection.`,
        };
  });
}

function describedPairs(
  pairs: readonly EncodablePair<string>[],
  tables: EncodedTables,
): readonly object[] {
  return [...new Set(pairs.map(({ table }) => table))].map((name) => ({
    table_name: name,
    table_description: tables[name]?.description,
    encoded_columns: pairs
      .filter(({ table }) => table === name)
      .map(({ column, modality }) => ({
        column_name: column,
        column_type: tables[name]?.columns[column]?.type,
        column_description: tables[name]?.columns[column]?.description,
        encode_modality: modality,
      })),
  }));
}

const indented = (value: unknown): string => JSON.stringify(value, null, 4);

function described(
  collection: Collection,
  database: StoredDatabase | undefined,
): DescribedCollection {
  return {
    collection_name: collection.name,
    modality: modalityOf(collection.name),
    embedder: collection.embedder,
    description: descriptionOf(collection),
    fields: database === undefined ? fieldsOf(collection) : fieldsOfCells(collection, database),
  };
}

/** How the search of both collections of texts at once is described. */
function fusedCollection(collections: readonly Collection[]): readonly DescribedCollection[] {
  const parts = fusedParts(collections);
  if (parts === null) return [];
  const [words, meaning] = parts;
  return [
    {
      collection_name: fusedName,
      modality: 'text',
      embedder: `${words.embedder} and ${meaning.embedder}`,
      description: `Searches ${words.name} and ${meaning.name} at once, and puts first what both score high: for a query whose words and meaning both count. Score: 0.3 of the relative score by words and 0.7 of that by meaning, at most 1.`,
      fields: [],
    },
  ];
}

function descriptionOf({ name, vector, metric }: Collection): string {
  if (modalityOf(name) === 'image') {
    return `Finds pictures that show what the query says. Score: cosine similarity (${metric}), at most 1; of a picture and a text it is rarely above 0.4.`;
  }
  switch (vector.kind) {
    case 'sparse':
      return `Finds texts that share words with the query, rare words counting more (BM25). Score: inner product (${metric}), without an upper bound.`;
    case 'dense':
      return `Finds texts close to the query by embeddings of ${vector.dimensions} dimensions. Score: cosine similarity (${metric}), at most 1.`;
  }
}

function fieldsOf({ name, vector }: Collection): readonly object[] {
  const isImage = modalityOf(name) === 'image';
  const item = isImage ? 'picture' : 'text';
  const box = '[x, y, width, height] of the picture on its page, in PDF points from the top left.';
  return [
    ...vectorFields(vector, item),
    ...(isImage ? [field('bbox', 'ARRAY(INT16)', box)] : []),
    field('pdf_id', 'VARCHAR', `Paper the ${item} is from: paper_id in the database.`),
    field(
      'page_number',
      'INT16',
      isImage
        ? 'Page the picture is on, from 1.'
        : 'Page the text is on, from 1; -1 for texts of no single page (tables metadata and sections).',
    ),
    field('table_name', 'VARCHAR', `Database table the ${item} is from.`),
    field('column_name', 'VARCHAR', 'Column of that table.'),
    field('primary_key', 'VARCHAR', 'Primary key of the row in that table.'),
  ];
}

/** The fields that tell something about the cell of a database. */
function fieldsOfCells({ vector }: Collection, { searched }: StoredDatabase): readonly object[] {
  const byNumber = searched.filter(({ key }) => key[0] === rowNumber).map(({ table }) => table);
  const key =
    'Primary key of the row in that table, the parts of a key of several columns joined by commas.';
  const number = `In ${byNumber.join(', ')}: its ${rowNumber}, by which SQL finds it too.`;
  return [
    ...vectorFields(vector, 'text'),
    field('table_name', 'VARCHAR', 'Database table the text is from.'),
    field('column_name', 'VARCHAR', 'Column of that table.'),
    field('primary_key', 'VARCHAR', byNumber.length === 0 ? key : `${key} ${number}`),
  ];
}

const vectorFields = (vector: Collection['vector'], item: string): readonly object[] => {
  const encoding = `Encoding of the ${item}.`;
  return [
    { ...field('id', 'INT64', 'Number of the entry.'), is_primary: true },
    vector.kind === 'sparse'
      ? field('vector', 'SPARSE_FLOAT_VECTOR', encoding)
      : { ...field('vector', 'FLOAT_VECTOR', encoding), dim: vector.dimensions },
  ];
};

const field = (name: string, dtype: string, description: string): object => ({
  ...{ name, dtype, description },
});

/** The filter operators, as the prompt describes them. Milvus Lite accepts all of them. */
const filterOperators = {
  operators: {
    logical: [
      operator('not', 'not (page_number == 1)', 'Holds where the expression does not.'),
      operator('and', "pdf_id == '…' and page_number == 3", 'Holds where both sides do.'),
      operator('or', 'page_number == 1 or page_number == 2', 'Holds where at least one side does.'),
    ],
    arithmetic: [
      operator('+', 'page_number + 1 == 4', 'Sum.'),
      operator('-', 'page_number - 1 == 2', 'Difference.'),
      operator('*', 'page_number * 2 == 6', 'Product.'),
      operator('/', 'page_number / 2 == 3', 'Quotient.'),
      operator('**', 'page_number ** 2 == 9', 'Power.'),
      operator('%', 'page_number % 2 == 0', 'Remainder of the division.'),
    ],
    relational: [
      operator('==', "table_name == 'chunks'", 'Equal; written with two equal signs.'),
      operator('!=', 'page_number != -1', 'Not equal.'),
      operator('<', 'page_number < 5', 'Less.'),
      operator('<=', 'page_number <= 5', 'Less or equal.'),
      operator('>', 'page_number > 5', 'Greater.'),
      operator('>=', 'page_number >= 5', 'Greater or equal.'),
      operator('in', 'page_number in [1, 2, 3]', 'Equal to one of the listed values.'),
    ],
  },
  'use cases': [
    {
      example: "table_name == 'chunks' and column_name == 'text_content'",
      description: 'Only passages: the entries made from one column of one table.',
    },
    {
      example: "pdf_id in ['…', '…'] and page_number <= 2",
      description: 'Only the first two pages of two papers. Texts stand in single quotes.',
    },
  ],
} as const;

/** With the operators of arrays, which only the entries of pictures have. */
const pictureOperators = {
  operators: {
    ...filterOperators.operators,
    array: [
      operator('[]', 'bbox[1] < 200', 'One value of the list, counted from 0.'),
      operator('array_contains', 'array_contains(bbox, 72)', 'The list holds the value.'),
      operator('array_length', 'array_length(bbox) == 4', 'How many values the list has.'),
    ],
  },
  'use cases': [
    ...filterOperators['use cases'],
    {
      example: "pdf_id == '…' and page_number == 3 and bbox[1] + bbox[3] <= 400",
      description: 'Only pictures of one page that end above a line across it, in points.',
    },
  ],
} as const;

/** The entries of a database have no paper and no page. */
const databaseOperators = {
  operators: {
    logical: [
      operator('not', "not (column_name == 'name')", 'Holds where the expression does not.'),
      operator('and', "table_name == 't' and column_name == 'c'", 'Holds where both sides do.'),
      operator('or', "primary_key == '3' or primary_key == '7'", 'Holds where at least one does.'),
    ],
    relational: [
      operator('==', "primary_key == '17'", 'Equal; written with two equal signs.'),
      operator('!=', "primary_key != '17'", 'Not equal.'),
      operator('in', "primary_key in ['3', '7']", 'Equal to one of the listed values.'),
    ],
  },
  'use cases': [
    {
      example: "primary_key in ['3', '7', '12']",
      description: 'Only rows whose keys SQL has found. Keys are texts, in single quotes.',
    },
  ],
} as const;

/** A text in a filter of Milvus. */
export const filterText = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function operator(symbol: string, example: string, description: string): object {
  return { symbol, example, description };
}

/** What an agent names to search both collections of texts at once. */
export const fusedName = 'text_fused';

/** What meaning counts beside words, of 1 together: the default of Haystack's `WeaviateHybridRetriever`. */
const meaningShare = 0.7;

/** Hits of each collection that are ranked together: more than any agent sees. */
export const fusedDepth = 100;

/** The collections whose scores are fused: by words and by meaning. Null where a store lacks one of them. */
export function fusedParts(
  collections: readonly Collection[],
): readonly [words: Collection, meaning: Collection] | null {
  const texts = collections.filter(({ name }) => modalityOf(name) === 'text');
  const words = texts.find(({ vector }) => vector.kind === 'sparse');
  const meaning = texts.find(({ vector }) => vector.kind === 'dense');
  return words && meaning ? [words, meaning] : null;
}

/** A hit of a search: the cell that was found, and how near it is. */
interface Ranked {
  readonly score: number;
  readonly tableName: string;
  readonly columnName: string;
  readonly primaryKey: string;
}

/**
 * The hits of two searches in one order, by relative score fusion: each search has its scores stretched from 0, its last hit, to
 * 1, its first, and a hit gets 0.3 of that by words and 0.7 by meaning. Of equal sums, the one found by words comes first. By
 * ranks alone, what shares a word with the question outweighs what means the same (arXiv 2210.11934).
 * @param searches - hits of each, the best first
 */
export function fuseHits<Hit extends Ranked>(
  [words = [], meaning = []]: readonly (readonly Hit[])[],
  limit: number,
): readonly Hit[] {
  const fused = new Map<string, Hit>();
  const add = (hits: readonly Hit[], share: number): void => {
    const [most, least] = [hits[0]?.score ?? 0, hits.at(-1)?.score ?? 0];
    for (const hit of hits) {
      const cell = JSON.stringify([hit.tableName, hit.columnName, hit.primaryKey]);
      const relative = most > least ? (hit.score - least) / (most - least) : 1;
      const score = (fused.get(cell)?.score ?? 0) + share * relative;
      fused.set(cell, { ...(fused.get(cell) ?? hit), score });
    }
  };
  add(words, 1 - meaningShare);
  add(meaning, meaningShare);
  return [...fused.values()].sort((a, b) => b.score - a.score).slice(0, limit);
}
