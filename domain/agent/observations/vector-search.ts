import { repr, pythonFromJson, type Json } from '../../formats/python/value.js';
import { countTokens } from '../../models/tokens.js';
import { roundTo } from '../../statistics/rounding.js';
import type { StoredDatabase } from '../../stores/database.js';
import {
  encodablePairs,
  encodablePairsOf,
  encodedTables,
  type EncodablePair,
} from '../../stores/database-schema.js';
import { filterText, fusedName, fusedParts } from '../../stores/vectorstore-schema.js';
import { modalityOf, type Collection, type Modality } from '../../stores/store-manifest.js';
import { limitOf, pythonOfAnyValue, type AnyValue, type Strictness } from '../actions/action.js';
import { positiveIntegerError } from '../actions/parse-error.js';
import {
  refused,
  type Cell,
  type Column,
  type TableResult,
  type Observed,
  type Refused,
} from './tool-outcome.js';

/** An entry that a search found. `score` is in the collection's metric (IP or COSINE). */
export interface SearchHit {
  readonly score: number;
  readonly pdfId: string;
  /** From 1; -1 when the row belongs to no page. */
  readonly pageNumber: number;
  readonly tableName: string;
  readonly columnName: string;
  readonly primaryKey: string;
  /** Of a picture: `[x, y, width, height]` in points from the top left of the page. */
  readonly box?: readonly number[];
}

const textFields = ['pdf_id', 'page_number', 'table_name', 'column_name', 'primary_key'] as const;
const imageFields = ['bbox', ...textFields] as const;
export type HitField = (typeof imageFields)[number];

/** Entries of a database are of no paper and no page. */
const cellFields = ['table_name', 'column_name', 'primary_key'] as const;

/** The fields of an entry besides its vector, in the order of the collection. */
export const hitFieldsOf = (
  modality: Modality,
  contents: 'papers' | 'database' = 'papers',
): readonly HitField[] =>
  contents === 'database' ? cellFields : modality === 'image' ? imageFields : textFields;

const fieldOf: Readonly<Record<HitField, (hit: SearchHit) => Cell>> = {
  // A text, as in the reference system.
  bbox: ({ box }) => (box === undefined ? null : `[${box.join(', ')}]`),
  pdf_id: ({ pdfId }) => pdfId,
  page_number: ({ pageNumber }) => pageNumber,
  table_name: ({ tableName }) => tableName,
  column_name: ({ columnName }) => columnName,
  primary_key: ({ primaryKey }) => primaryKey,
};

/** Hits as table rows. @param texts - by primary key, since the vectorstore does not store texts; null for pictures */
export function searchTable(
  hits: readonly SearchHit[],
  texts: ReadonlyMap<string, string> | null,
  fields: readonly HitField[],
): TableResult {
  const columns: readonly Column[] = [
    { name: 'score', type: 'DOUBLE' },
    ...fields.map((name) => ({ name, type: name === 'page_number' ? 'INTEGER' : 'VARCHAR' })),
    ...(texts === null ? [] : [{ name: 'text', type: 'VARCHAR' }]),
  ];
  const rows = hits.map((hit) => [
    roundTo(hit.score, 4),
    ...fields.map((name) => fieldOf[name](hit)),
    ...(texts === null ? [] : [texts.get(hit.primaryKey)?.trim() ?? null]),
  ]);
  return { columns, rows, more: false };
}

/** The arguments of a search as the model wrote them, not checked yet. */
export interface SearchArguments {
  readonly query: string;
  readonly collection_name: string;
  readonly table_name: string;
  readonly column_name: string;
  readonly filter: string;
  readonly limit: AnyValue;
  readonly output_fields?: AnyValue | undefined;
}

/** A search whose arguments are valid. */
export interface VectorSearch {
  readonly query: string;
  /** Several: their ranks are fused. Of one modality. */
  readonly collections: readonly [Collection, ...Collection[]];
  readonly tableName: string;
  readonly columnName: string;
  /** Selects the table and column, combined with the model's filter. */
  readonly filter: string;
  readonly limit: number;
  readonly fields: readonly HitField[];
}

/** What a search may cover. */
interface SearchedStore {
  readonly collections: readonly Collection[];
  /** Absent for a store of papers. */
  readonly database?: StoredDatabase | undefined;
}

type SearchCheck = { readonly kind: 'search'; readonly search: VectorSearch } | Refused;

/** Tokens that the text encoder of CLIP accepts; image collections are made with CLIP. */
const longestImageQuery = 77;

/**
 * Checks the arguments of a search, in the order of the reference system. An unreachable vectorstore is not reported to the
 * model, and the vectorstore itself checks the filter (`filterRefusal`).
 */
export function checkSearch(
  asked: SearchArguments,
  { collections, database }: SearchedStore,
  strictness: Strictness,
): SearchCheck {
  const { query, collection_name: name, table_name: table, column_name: column } = asked;
  const searched = searchedBy(name, collections, strictness);
  if (searched && modalityOf(name) === 'image' && countTokens(query) > longestImageQuery) {
    return refused('query', 'The query string is too long. You can try to shorten it.');
  }
  const limit = limitOf(asked.limit, strictness);
  if (limit === null) return refused('limit', positiveIntegerError('limit'));

  const pairs =
    database === undefined
      ? encodedPairs(collections, strictness)
      : encodablePairsOf(encodedTables(database));
  const inTable = pairs.filter((pair) => pair.table === table);
  if (inTable.length === 0) {
    const tables = listText([...new Set(pairs.map((pair) => pair.table))]);
    return refused(
      'table',
      `Table name ${text(table)} does not have any encodable column in the Milvus vectorstore. Please choose from these tables ${tables}.`,
    );
  }
  const pair = inTable.find((candidate) => candidate.column === column);
  if (!pair) {
    const columns = listText(inTable.map((candidate) => candidate.column));
    return refused(
      'column',
      `Column name ${text(column)} is not a valid encodable column in the table ${text(table)}. Please choose from these columns ${columns}.`,
    );
  }
  if ((strictness === 'strict' ? query : query.trim()) === '') {
    return refused('query', 'Query string is empty.');
  }
  if (!searched) {
    const names = listText(namesOf(collections, strictness));
    return refused(
      'collection',
      `Collection ${text(name)} does not exist in the Milvus database. Please choose from these collections ${names}`,
    );
  }
  if (!name.startsWith(pair.modality)) {
    const names = namesOf(collections, strictness).filter((candidate) =>
      candidate.startsWith(pair.modality),
    );
    return refused(
      'modality',
      `Column '${table}.${column}' should be encoded as ${pair.modality} vectors, but the collection name ${text(name)} does not match the modality ${text(pair.modality)}. Please choose from these collections: ${listText(names)}.`,
    );
  }
  const fields = fieldsIn(asked.output_fields);
  const available = hitFieldsOf(modalityOf(name), database && 'database');
  const unknown = fields.find((field) => !isOneOf(available, field));
  if (unknown !== undefined) {
    return refused(
      'output-field',
      `Output field ${text(unknown)} is not available in the collection ${text(name)} of Milvus vectorstore. The available output fields include ${listText(available)}`,
    );
  }
  const cells = `table_name == ${filterText(table)} and column_name == ${filterText(column)}`;
  return {
    kind: 'search',
    search: {
      query,
      collections: searched,
      tableName: table,
      columnName: column,
      filter: asked.filter === '' ? cells : `${cells} and (${asked.filter})`,
      limit,
      fields: fields.length === 0 ? available : available.filter((field) => fields.includes(field)),
    },
  };
}

/** The collections that a name stands for. */
function searchedBy(
  name: string,
  collections: readonly Collection[],
  strictness: Strictness,
): VectorSearch['collections'] | null {
  if (name === fusedName && strictness === 'tolerant') return fusedParts(collections);
  const collection = collections.find((candidate) => candidate.name === name);
  return collection ? [collection] : null;
}

const namesOf = (collections: readonly Collection[], strictness: Strictness): readonly string[] => [
  ...collections.map(({ name }) => name),
  ...(strictness === 'tolerant' && fusedParts(collections) !== null ? [fusedName] : []),
];

/** The observation for a filter that the vectorstore refused: hints if any apply, else the vectorstore's message. */
export function filterRefusal(filter: string, message: string): Observed {
  const hints = [
    hint(filter, ['ref_paper_id', 'paper_id'], 'use `pdf_id` instead'),
    hint(
      filter,
      ['page_id', 'ref_page_id', 'ref_page_number'],
      'use the integer `page_number` instead of UUID',
    ),
  ].filter((found) => found !== null);
  const why = hints.length > 0 ? `${hints.join('; ')}.` : message;
  return refused('filter', `Filter condition ${text(filter)} is not valid. ${why}`).observed;
}

/** A hint if the filter contains one of `names`, also as a part of another name. */
function hint(filter: string, names: readonly string[], advice: string): string | null {
  const name = names.find((candidate) => filter.includes(candidate));
  return name === undefined
    ? null
    : `\`${name}\` is not a valid field name of stored data entries in the vectorstore, please ${advice}`;
}

/** Tolerant mode lists only the modalities of existing collections, as the prompt does. */
const encodedPairs = (
  collections: readonly Collection[],
  strictness: Strictness,
): readonly EncodablePair[] => {
  const modalities = new Set(collections.map(({ name }) => modalityOf(name)));
  return strictness === 'strict'
    ? encodablePairs
    : encodablePairs.filter(({ modality }) => modalities.has(modality));
};

/** The strings in a list; empty for any other value, because the parameter is hidden. */
function fieldsIn(value: AnyValue | undefined): readonly string[] {
  const python = value && pythonOfAnyValue(value);
  const items = python?.kind === 'list' || python?.kind === 'tuple' ? python.items : [];
  return items.flatMap((item) => (item.kind === 'str' ? [item.value] : []));
}

const isOneOf = (available: readonly HitField[], field: string): boolean =>
  (available as readonly string[]).includes(field); // widened, so that `includes` accepts any string

const text = (value: string): string => repr({ kind: 'str', value });
const listText = (values: readonly Json[]): string => repr(pythonFromJson(values));
