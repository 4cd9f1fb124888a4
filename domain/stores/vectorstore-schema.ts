import { encodablePairs } from '../papers/encodable-cells.js';
import { filterOperators } from './filter-operators.js';
import type { Collection, StoreManifest } from './store-manifest.js';

/** The vectorstore as the model is told about it (hybrid-agent.md §1.4): the store's own collections, nothing else. */
export function renderVectorstoreSchema(
  manifest: Pick<StoreManifest, 'name' | 'collections'>,
): string {
  const modalities = new Set(manifest.collections.map(modalityOf));
  const pairs = encodablePairs
    .filter(({ modality }) => modalities.has(modality))
    .map(({ table, column, modality }) => [table, column, modality]);
  return [
    `The vectorstore schema for ${manifest.name} is as follows. Its collections hold the same texts under different encodings, so another collection is worth a try:\n${indented(described(manifest.collections))}`,
    `Entries of the collections are made from cells of the database: each non-empty text cell of the following (table, column, modality) is encoded as it stands. table_name, column_name and primary_key of an entry lead back to its cell:\n${indented(pairs)}`,
    `Filter conditions of a search may use these operators on the fields above:\n${indented(filterOperators)}`,
  ].join('\n\n');
}

const indented = (value: unknown): string => JSON.stringify(value, null, 4);

const modalityOf = ({ name }: Collection): string => name.split('_', 1)[0] ?? name;

/** Fields are spelled out once per modality. */
function described(collections: readonly Collection[]): readonly object[] {
  const first = new Map<string, string>();
  return collections.map((collection) => {
    const modality = modalityOf(collection);
    const like = first.get(modality);
    if (like === undefined) first.set(modality, collection.name);
    return {
      collection_name: collection.name,
      modality,
      embedder: collection.embedder,
      description: descriptionOf(collection),
      fields: like === undefined ? fieldsOf(collection) : `As those of \`${like}\`.`,
    };
  });
}

function descriptionOf({ vector, metric }: Collection): string {
  switch (vector.kind) {
    case 'sparse':
      return `Finds texts that share words with the query, rare words counting more (BM25). Score: inner product (${metric}), without an upper bound.`;
    case 'dense':
      return `Finds texts close to the query by embeddings of ${vector.dimensions} dimensions. Score: cosine similarity (${metric}), at most 1.`;
  }
}

function fieldsOf({ vector }: Collection): readonly object[] {
  return [
    field('id', 'INT64', 'Number of the entry.'),
    vector.kind === 'sparse'
      ? field('vector', 'SPARSE_FLOAT_VECTOR', 'Encoding of the text.')
      : {
          ...field('vector', 'FLOAT_VECTOR', 'Encoding of the text.'),
          dim: vector.dimensions,
        },
    field('pdf_id', 'VARCHAR', 'Paper the text is from: paper_id in the database.'),
    field(
      'page_number',
      'INT16',
      'Page the text is on, from 1; -1 for texts of no single page (tables metadata and sections).',
    ),
    field('table_name', 'VARCHAR', 'Database table the text is from.'),
    field('column_name', 'VARCHAR', 'Column of that table.'),
    field('primary_key', 'VARCHAR', 'Primary key of the row in that table.'),
  ];
}

const field = (
  name: string,
  dtype: string,
  description: string,
): { readonly name: string; readonly dtype: string; readonly description: string } => ({
  name,
  dtype,
  description,
});
