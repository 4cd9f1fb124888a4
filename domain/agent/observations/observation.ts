import { evaluateExpression } from '../../formats/python/expression.js';
import { floatText, str } from '../../formats/python/value.js';
import { counted } from '../../formats/text.js';
import { countTokens, mostTokens, truncateTokens } from '../../models/tokens.js';
import { modalityOf, type Collection } from '../../stores/store-manifest.js';
import {
  boundingBoxOf,
  pageNumberOf,
  paperIdOf,
  type Strictness,
  type AnyValue,
} from '../actions/action.js';
import { cellText } from './pandas-frame.js';
import {
  observationFormats,
  type ObservationFormat,
  type ObservationFormatName,
} from './table-formats.js';
import {
  failed,
  refused,
  type Cell,
  type TableResult,
  type Observed,
  type Refused,
} from './tool-outcome.js';
import {
  searchTable,
  type SearchArguments,
  type HitField,
  type SearchHit,
} from './vector-search.js';

export interface ObservationStyle {
  /** `strict` renders as the reference system does. `tolerant` renders plain JSON, cuts long rows and says so. */
  readonly strictness: Strictness;
  readonly format: ObservationFormatName;
  readonly maxRows: number;
  /** Of all rows shown together, counted in cl100k_base. */
  readonly maxTokens: number;
}

/** The limits are those of the reference system. */
export const defaultObservationStyle: ObservationStyle = {
  strictness: 'tolerant',
  format: 'json',
  maxRows: 10,
  maxTokens: 5000,
};

/**
 * The observation of a table: its rows, and a note that says how many are shown. `result` needs at least one row.
 * @param render - replaces the format's rendering of rows
 */
export function renderRows(
  result: TableResult,
  style: ObservationStyle,
  render: ObservationFormat['render'] = observationFormats[style.format].render,
): Observed {
  const strict = style.strictness === 'strict';
  const table = withUniqueNames(strict ? result : withFirstRowFitted(result, style.maxTokens));
  const { shown, limit } = selectRows(table, style);
  const { title } = observationFormats[style.format];
  const rows = render(table, shown, strict);
  const found = (note: string): Observed => ({
    content: `${rows}\n${note}`,
    outcome: { kind: 'found', shown, cut: limit !== null },
  });
  const are = `${shown === 1 ? 'is' : 'are'} displayed in ${title} format`;
  if (strict) {
    return found(
      limit === null
        ? `In total, ${shown} rows are displayed in ${title} format.`
        : `... # only display ${shown} rows in ${title} format, more are truncated due to length constraint based on ${limit}`,
    );
  }
  if (limit === null) return found(`In total, ${counted(shown, 'row')} ${are}.`);
  const total = counted(table.rows.length, 'row');
  return found(
    `... # ${shown} of ${table.more ? 'more than ' : ''}${total} ${are}, the rest is cut based on ${limit}`,
  );
}

function withUniqueNames(table: TableResult): TableResult {
  const names = uniqueNames(table.columns.map(({ name }) => name));
  return {
    ...table,
    columns: table.columns.map((column, index) => ({ ...column, name: names[index] ?? '' })),
  };
}

function withFirstRowFitted(table: TableResult, maxTokens: number): TableResult {
  const [first, ...others] = table.rows;
  return first === undefined ? table : { ...table, rows: [fitRow(first, maxTokens), ...others] };
}

interface Selection {
  readonly shown: number;
  /** The limit that cut the rows; null when all are shown. */
  readonly limit: string | null;
}

/** The first row is always shown. */
function selectRows({ columns, rows, more }: TableResult, style: ObservationStyle): Selection {
  const byRows = `max_rows (${style.maxRows})`;
  const byTokens = `max_tokens (${style.maxTokens})`;
  const texts = rows
    .slice(0, style.maxRows)
    .map((row) =>
      columns.map(({ name }, at) => `${name}: ${cellText(row[at] ?? null)}`).join('\n'),
    );
  let tokens = 0;
  let mostOfRest = texts.reduce((sum, text) => sum + mostTokens(text), 0);
  for (const index of rows.keys()) {
    if (index >= style.maxRows) return { shown: index, limit: byRows };
    // Counting takes long: only until the rest surely fits.
    if (tokens + mostOfRest <= style.maxTokens) continue;
    const text = texts[index] ?? '';
    mostOfRest -= mostTokens(text);
    tokens += countTokens(text);
    if (index > 0 && tokens > style.maxTokens) return { shown: index, limit: byTokens };
  }
  if (!more) return { shown: rows.length, limit: null };
  // The query stopped before the row limit because the rows were too long.
  return { shown: rows.length, limit: rows.length < style.maxRows ? byTokens : byRows };
}

/** Unique column names, made as DuckDB does; case is ignored: `a`, `A_1`, `a_2`. */
function uniqueNames(names: readonly string[]): readonly string[] {
  const used = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 1; used.has(unique.toLowerCase()); count++) unique = `${name}_${count}`;
    used.add(unique.toLowerCase());
    return unique;
  });
}

/** Cuts the longest cells of a row, each with a note, so that the row has about `maxTokens`. */
function fitRow(row: readonly Cell[], maxTokens: number): readonly Cell[] {
  if (mostTokens(row.map(cellText).join('')) <= maxTokens) return row;
  const sizes = row.map((cell) => countTokens(cellText(cell)));
  const share = fairShare(sizes, maxTokens);
  return row.map((cell, index) => {
    const size = sizes[index] ?? 0;
    if (size <= share) return cell;
    return `${truncateTokens(cellText(cell), share)}… [cut: ${share} of ${size} tokens shown]`;
  });
}

/** The limit per cell (max-min fair): small cells are kept whole, and the large ones share the rest equally. */
function fairShare(sizes: readonly number[], total: number): number {
  let available = total;
  let cells = sizes.length;
  for (const size of sizes.toSorted((a, b) => a - b)) {
    if (size * cells > available) return Math.max(1, Math.floor(available / cells));
    available -= size;
    cells -= 1;
  }
  return Infinity;
}

/**
 * Search hits as text, one block per hit, because a table would be as wide as the longest passage. The reference system
 * leaves out the passage itself, and so does strict mode.
 */
const searchString =
  (metric: Metric): ObservationFormat['render'] =>
  ({ columns, rows }, shown, strict) => {
    const blocks = rows.slice(0, shown).map((row) => {
      const [score, ...cells] = columns.map(({ name }, index) => ({
        name,
        cell: row[index] ?? null,
      }));
      const lines = cells
        .filter(({ name }) => name !== 'text' || !strict)
        .map(({ name, cell }) => `    ${name}: ${cellText(cell)}\n`);
      return `Score: ${floatText(Number(score?.cell))}\n${lines.join('')}\n`;
    });
    return `The retrieved results are sorted from the most to least relevant based on metric type ${metric}:\n${blocks.join('')}`;
  };

// These messages have the wording of the reference system, so that results can be compared.

/** That of a collection, or relative score fusion. */
type Metric = Collection['metric'] | 'RSF';

export interface SearchFindings {
  readonly query: string;
  readonly metric: Metric;
  /** The fields to show besides score and text. */
  readonly fields: readonly HitField[];
  /** Best first. */
  readonly hits: readonly SearchHit[];
  /** By primary key; null for pictures, which have none. */
  readonly texts: ReadonlyMap<string, string> | null;
}

/** A hit without text fails the whole search in strict mode, as in the reference system; otherwise it is left out. */
export function searchObservation(
  { query, metric, fields, hits, texts }: SearchFindings,
  style: ObservationStyle,
): Observed {
  const strict = style.strictness === 'strict';
  const whole = hits.filter(({ primaryKey }) => texts?.has(primaryKey) ?? true);
  if (hits.length === 0 || (whole.length === 0 && !strict)) {
    const content = `[Warning]: No relevant context records found for the input query: ${query}.`;
    return { content, outcome: { kind: 'empty' } };
  }
  if (strict && whole.length < hits.length) {
    return searchErrorObservation('text-missing', "'NoneType' object is not subscriptable");
  }
  const table = searchTable(whole, texts, fields);
  const { content, outcome } =
    style.format === 'string'
      ? renderRows(table, style, searchString(metric))
      : renderRows(table, style);
  if (outcome.kind !== 'found' || !fields.includes('pdf_id')) return { content, outcome };
  const papers = whole.slice(0, outcome.shown).map(({ pdfId }) => pdfId);
  return { content, outcome: { ...outcome, papers } };
}

export const searchErrorObservation = (failure: string, message: string): Observed =>
  failed(failure, `[Error]: When searching the vectorstore for context: ${message}`);

/**
 * The vector search of a ClassicRetrieve action. It searches passages in the first dense collection, or by BM25 when the
 * store has none; the reference system always uses one fixed collection.
 * @param scope - a Milvus filter; empty for none
 */
export function classicSearch(
  { query, limit }: { readonly query: string; readonly limit: AnyValue },
  collections: readonly Collection[],
  scope: string,
): SearchArguments {
  const [first] = collections;
  const chosen =
    collections.find(
      ({ name, vector }) => vector.kind === 'dense' && modalityOf(name) === 'text',
    ) ?? first;
  if (!chosen) throw new RangeError('the store has no collection to search');
  return {
    query,
    limit,
    collection_name: chosen.name,
    table_name: 'chunks',
    column_name: 'text_content',
    filter: scope,
  };
}

/** Python's limit on the digits of an int in `str`. */
const longestInt = 4300;

/** The observation of CalculateExpr: Python's `str` of the value, or the error. */
export function calculationObservation(expression: string): Observed {
  const evaluation = evaluateExpression(expression);
  if (evaluation.kind === 'error') return failed('expression', `[Error]: ${evaluation.message}`);
  const text = str(evaluation.value);
  if (text.match(/\d+/g)?.some((digits) => digits.length > longestInt)) {
    const message = `Exceeds the limit (${longestInt} digits) for integer string conversion`;
    return failed('expression', `[Error]: ${message}`);
  }
  const content = `The calculated result is: ${text}`;
  return { content, outcome: { kind: 'found', shown: 1, cut: false } };
}

/** The observation of QueryGraph: the program's answer, cut like any other answer. */
export const graphObservation = (answer: string): Observed => ({
  content: truncateAnswer(answer),
  outcome: answer.trim() === '' ? { kind: 'empty' } : { kind: 'found', shown: 1, cut: false },
});

// The SQL and image messages below have the wording of the reference system, so that results can be compared.

export const sqlObservation = (result: TableResult, style: ObservationStyle): Observed =>
  result.rows.length === 0
    ? {
        content: '[Warning]: The SQL execution result is empty, please check the SQL first.',
        outcome: { kind: 'empty' },
      }
    : renderRows(result, style);

export const sqlErrorObservation = (failure: string, message: string): Observed =>
  failed(failure, `[Error]: Runtime error during SQL execution and output formatting: ${message}`);

export const sqlTimeoutObservation = (timeoutMs: number): Observed =>
  failed(
    'timeout',
    `[TimeoutError]: The SQL execution is TIMEOUT given maximum ${timeoutMs / 1000} seconds.`,
  );

/** A part of a page to render. */
interface PictureRequest {
  readonly paperId: string;
  /** From 1. */
  readonly page: number;
  /** `[x, y, width, height]` in PDF points from the top left; empty for the whole page. */
  readonly box: readonly number[];
}

type PictureCheck = { readonly kind: 'picture'; readonly asked: PictureRequest } | Refused;

/** Checks the parameters of a ViewImage action, in the order of the reference system. */
export function checkPicture(action: {
  readonly paper_id: AnyValue;
  readonly page_number: AnyValue;
  readonly bounding_box: AnyValue;
}): PictureCheck {
  const paperId = paperIdOf(action.paper_id);
  if (paperId === null) return refused('paper', 'paper id must be a string.');
  const page = pageNumberOf(action.page_number);
  if (page === null) return refused('page', 'page number must be a positive integer.');
  const box = boundingBoxOf(action.bounding_box);
  if (box === null) return refused('box', 'bounding box must be a list of 0 or 4 floats.');
  return { kind: 'picture', asked: { paperId, page, box } };
}

/** The text that accompanies the picture. */
export const pictureObservation: Observed = {
  content: 'The extracted image is shown below.',
  outcome: { kind: 'found', shown: 1, cut: false },
};

export const noPaperObservation = ({ paperId }: PictureRequest): Observed =>
  failed('paper', `[Error]: paper id ${paperId} does not exist.`);

export const noPageObservation = ({ paperId, page }: PictureRequest): Observed =>
  failed('page', `[Error]: page ${page} of paper id ${paperId} does not exist.`);

export const pictureErrorObservation = (message: string): Observed =>
  failed('drawing', `[Error]: ${message}`);

export const pictureTimeoutObservation = (timeoutMs: number): Observed =>
  failed('timeout', `[TimeoutError]: The page is not drawn after ${timeoutMs / 1000} seconds.`);

const maxAnswerTokens = 30_000;

/** Cuts an answer to 30,000 tokens of cl100k_base, the limit for scoring. */
export const truncateAnswer = (answer: string): string => truncateTokens(answer, maxAnswerTokens);
