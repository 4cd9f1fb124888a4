/** Texts, quoted names and comments, brackets, commas and words. Brackets in texts mean nothing. */
const sqlTokens =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?\*\/|[()[\],;]|[\p{L}\p{N}_$]+/gu;

interface Token {
  /** In capitals. */
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** The query with something in place of each comment, text and quoted name. */
export const withoutTexts = (sql: string): string =>
  sql.replace(sqlTokens, (part) => (/^(?:['"`]|--|\/\*)/.test(part) ? "''" : part));

/** Where the queries in brackets lie, at any depth. */
function innerSpans(sql: string): readonly { readonly start: number; readonly end: number }[] {
  const starts: number[] = [];
  const found: { readonly start: number; readonly end: number }[] = [];
  for (const { 0: part, index } of sql.matchAll(sqlTokens)) {
    if (part === '(') starts.push(index + 1);
    if (part !== ')') continue;
    const start = starts.pop() ?? index;
    if (/^\s*(?:SELECT|WITH)\b/i.test(sql.slice(start, index))) found.push({ start, end: index });
  }
  return found;
}

/** The queries in brackets, at any depth. */
export const innerQueries = (sql: string): readonly string[] =>
  innerSpans(sql).map(({ start, end }) => sql.slice(start, end));

/** What stands before a query whose NULL leaves no row: `a NOT IN (`, `NOT a IN (`, `a > ALL (`. */
const readsAll = /(?:\bNOT\s+(?:\(\s*)?(?:[\p{L}\p{N}_$."`]+\s+)?IN|[<>=]\s*ALL)\s*\($/iu;

/** The query, with no NULL in what its `NOT IN` and `ALL` read. Null where it has none. */
export function withoutNulls(sql: string): string | null {
  const edits = innerSpans(sql)
    .filter(({ start }) => readsAll.test(sql.slice(0, start)))
    .flatMap(({ start, end }) => [
      { at: start, text: 'SELECT * FROM (' },
      { at: end, text: ') AS read EXCEPT SELECT NULL' },
    ])
    .toSorted((a, b) => b.at - a.at);
  return edits.length === 0
    ? null
    : edits.reduce((whole, { at, text }) => whole.slice(0, at) + text + whole.slice(at), sql);
}

/** The query without comments, and what stands outside of brackets in it. */
function outermost(query: string): { readonly sql: string; readonly tokens: readonly Token[] } {
  const sql = query.replace(sqlTokens, (part) => (/^(?:--|\/\*)/.test(part) ? ' ' : part));
  const tokens: Token[] = [];
  let depth = 0;
  for (const { 0: part, index } of sql.matchAll(sqlTokens)) {
    if (part === ')' || part === ']') depth -= 1;
    if (depth === 0)
      tokens.push({ word: part.toUpperCase(), start: index, end: index + part.length });
    if (part === '(' || part === '[') depth += 1;
  }
  return { sql, tokens };
}

const orderBy = (tokens: readonly Token[]): number =>
  tokens.findLastIndex(({ word }, at) => word === 'BY' && tokens[at - 1]?.word === 'ORDER');

/** Whether a query has an ORDER BY outside brackets. */
export const ordersResult = (sql: string): boolean => orderBy(outermost(sql).tokens) !== -1;

/** The texts between the commas among tokens, from a position to another. */
function listed(
  sql: string,
  tokens: readonly Token[],
  from: number,
  to: number,
): readonly string[] {
  const commas = tokens.filter(({ word, start }) => word === ',' && start >= from && start < to);
  return [from - 1, ...commas.map(({ start }) => start)].map((start, index) =>
    sql.slice(start + 1, commas[index]?.start ?? to).trim(),
  );
}

/** How the rows of a query are ordered, and which it keeps. */
export interface QueryOrder {
  /**
   * The key of each expression of the ORDER BY: the position of a column of the result, from 0, or of a column that `withKeys`
   * adds behind them. Null if some key cannot be seen.
   */
  readonly keys: readonly { readonly from: 'result' | 'added'; readonly column: number }[] | null;
  /** How many columns `withKeys` and `withLimit` add. */
  readonly added: number;
  /** The query with the keys that are no columns of its result as further columns; null if there are none. */
  readonly withKeys: string | null;
  /** How many rows the query leaves out, and then keeps. Null without a LIMIT of numbers. */
  readonly limit: { readonly offset: number; readonly count: number } | null;
  /** `withKeys`, or the query, with that many rows from the first on in place of its limit. */
  readonly withLimit: (rows: number) => string;
}

const afterOrder: ReadonlySet<string> = new Set(['LIMIT', 'OFFSET', 'FETCH', 'FOR', ';']);
const afterColumns: ReadonlySet<string> = new Set([
  ...['FROM', 'WHERE', 'GROUP', 'HAVING', 'WINDOW', 'QUALIFY', 'ORDER', 'LIMIT', 'OFFSET'],
  ...['FETCH', 'FOR', ';'],
]);
/** Beside these a further column would change the rows, or has no place. */
const fixesColumns: ReadonlySet<string> = new Set(['UNION', 'INTERSECT', 'EXCEPT', 'VALUES']);

/** Read from the words of the query, whatever its dialect. Null for a query that neither orders nor limits its rows. */
export function queryOrder(query: string): QueryOrder | null {
  const { sql, tokens } = outermost(query);
  const by = orderBy(tokens);
  const tail = tokens.findIndex(({ word }, at) => at > by && afterOrder.has(word));
  const end = tokens[tail]?.start ?? sql.length;
  const limit = limitIn(sql.slice(end));
  if (by === -1 && limit === null) return null;
  const select = tokens.findIndex(({ word }) => word === 'SELECT');
  const behind = tokens.findIndex(
    ({ word }, at) =>
      at > select &&
      afterColumns.has(word) &&
      !/^(?:DISTINCT|WITHIN)$/.test(tokens[at - 1]?.word ?? ''),
  );
  const columnsEnd = tokens[behind]?.start ?? sql.length;
  const isDistinct = tokens[select + 1]?.word === 'DISTINCT';
  const columnsStart = tokens[isDistinct ? select + 1 : select]?.end ?? 0;
  const columns = select === -1 ? [] : listed(sql, tokens, columnsStart, columnsEnd);
  const isPlain =
    select !== -1 &&
    !isDistinct &&
    !tokens.some(({ word }) => fixesColumns.has(word)) &&
    !/\bGROUP\s+BY\s+ALL\b/i.test(sql);
  const expressions =
    by === -1 ? [] : listed(sql, tokens, tokens[by]?.end ?? 0, end).map(withoutDirection);
  const added: string[] = [];
  const keys = expressions.map((key) => {
    const column = columnOf(key, columns);
    if (column !== null) return { from: 'result', column } as const;
    added.push(key);
    return { from: 'added', column: added.length - 1 } as const;
  });
  const isSeen = added.length === 0 || isPlain;
  const add = (text: string): string =>
    added.length === 0 || !isPlain
      ? text
      : `${text.slice(0, columnsEnd).trimEnd()}, ${added.join(', ')} ${text.slice(columnsEnd)}`;
  return {
    keys: isSeen ? keys : null,
    added: isPlain ? added.length : 0,
    withKeys: added.length > 0 && isPlain ? add(sql) : null,
    limit,
    withLimit: (rows) => add(`${sql.slice(0, end).trimEnd()} LIMIT ${rows}`),
  };
}

function withoutDirection(key: string): string {
  const plain = key.replace(/\s+NULLS\s+(?:FIRST|LAST)$/i, '').replace(/\s+(?:ASC|DESC)$/i, '');
  // Keys that are the same to the query shall be the same to us.
  const [, folded] = /^(.*)\s+COLLATE\s+NOCASE$/is.exec(plain) ?? [];
  return folded === undefined ? plain : `lower(${folded})`;
}

const name = /^(?:[\p{L}_][\p{L}\p{N}_$]*|"(?:[^"]|"")*"|`[^`]*`)$/u;
/** The name of a column: alone, behind its table, or behind an expression, but not behind an operator. */
const lastName =
  /(?:^|\.|(?<=[\p{L}\p{N}_$)\]"'`]\s+)(?<!\b(?:NOT|AND|OR|IS|LIKE|GLOB|BETWEEN|COLLATE)\s+))([\p{L}_][\p{L}\p{N}_$]*|"(?:[^"]|"")*"|`[^`]*`)$/iu;

/** `*`, `t.* EXCLUDE (a)`, `COLUMNS('a.*')`. */
const several = /(?:^|\.)\*|^COLUMNS\s*\(/i;

const folded = (text: string): string => text.replace(/\s+/g, ' ').toLowerCase();
const unquoted = (text: string): string => text.replace(/^["`]|["`]$/g, '').toLowerCase();

/** The column of the result that a key is: by its position, its text or its name. Null if it is none, or behind a `*`. */
function columnOf(key: string, columns: readonly string[]): number | null {
  if (/^\d+$/.test(key)) return Number(key) - 1;
  const named = columns.findIndex((column) =>
    name.test(key)
      ? unquoted(lastName.exec(column)?.[1] ?? '') === unquoted(key)
      : folded(column) === folded(key),
  );
  const isCertain = named !== -1 && !columns.slice(0, named).some((column) => several.test(column));
  return isCertain ? named : null;
}

/** @param tail - what follows the ORDER BY */
function limitIn(tail: string): QueryOrder['limit'] {
  const [, first, second] = /\bLIMIT\s+(\d+)(?:\s*,\s*(\d+))?/i.exec(tail) ?? [];
  const fetched = /\bFETCH\s+(?:FIRST|NEXT)\s+(\d+)?\s*ROWS?\b/i.exec(tail);
  const [, skipped] = /\bOFFSET\s+(\d+)/i.exec(tail) ?? [];
  // `LIMIT 5, 10` leaves out 5.
  if (second !== undefined) return { offset: Number(first), count: Number(second) };
  const count = first ?? (fetched === null ? undefined : (fetched[1] ?? '1'));
  return count === undefined && skipped === undefined
    ? null
    : { offset: Number(skipped ?? 0), count: Number(count ?? Infinity) };
}
