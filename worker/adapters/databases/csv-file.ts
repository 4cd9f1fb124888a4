import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { DuckDBConnection } from '@duckdb/node-api';
import { CsvError, type InfoRecord, type Options } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { sqlText } from '../../../domain/formats/sql.js';
import { counted, joined } from '../../../domain/formats/text.js';
import {
  columnNames,
  csvTypes,
  separatorOf,
  separators,
  usualNulls,
  type CsvSettings,
  type CsvType,
} from '../../../domain/stores/csv-table.js';
import { sqlName } from '../../../domain/stores/database-schema.js';
import { UserError } from '../../../domain/user-error.js';

interface CsvSource {
  /** A file, which is compressed by gzip if its name ends in `.gz`. */
  readonly path: string;
  /** To be made. */
  readonly table: string;
  readonly settings: CsvSettings;
}

/** How a table was read, in words. */
export interface CsvNotes {
  readonly table: string;
  /** Of columns that are not plain, by their names. */
  readonly columns: ReadonlyMap<string, string>;
}

/** Makes a table of a CSV file, each record a row. Throws UserError naming file, line and what helps where that cannot be. */
export async function importCsv(
  connection: DuckDBConnection,
  source: CsvSource,
): Promise<CsvNotes> {
  const { path, table, settings } = source;
  const { first, note } = await copyRows(connection, source);
  const header = settings.header === false ? null : first.cells;
  const types = csvTypes(settings);
  const columns: Column[] = [];
  for (const [index, name] of columnNames(header ?? first.cells.map(() => '')).entries()) {
    columns.push(await columnOf(connection, name, `c${index}`, types));
  }
  if (
    header !== null &&
    settings.header === undefined &&
    (await isRow(connection, header, columns, types))
  ) {
    throw flaw(path, first.line, 'may hold values and no names of columns', 'set "header"');
  }
  const kept = columns.filter(({ values }, index) => values > 0 || header?.[index]?.trim() !== '');
  const parts = kept.map(({ name, sql }) => `${sql} AS ${sqlName(name)}`);
  await connection.run(`CREATE TABLE ${sqlName(table)} AS SELECT ${parts.join(', ')} FROM ${raw}`);
  await connection.run(`DROP TABLE ${raw}`);
  const named = header === null ? 'no row names the columns' : 'the first row names the columns';
  return {
    table: `${note}, ${named}`,
    columns: new Map(kept.flatMap(({ name, note }) => (note === '' ? [] : [[name, note]]))),
  };
}

/** @param remedy - the settings that help */
const flaw = (path: string, line: number, what: string, remedy: string): UserError =>
  new UserError(`${path}: line ${line} ${what}: ${remedy} in csv (\`turnwise docs databases\`)`);

interface CsvRow {
  /** Where it ends. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The rows as the file has them: columns `c0`, `c1` and so on of texts, and where each row ends. */
const raw = 'turnwise_csv_rows';

/** Copies the rows as they are. Resolves to the first one, and to how all were read. */
async function copyRows(
  connection: DuckDBConnection,
  { path, settings }: CsvSource,
): Promise<{ readonly first: CsvRow; readonly note: string }> {
  const { skip = 0, comment, escape, quote = '"', pad = false, header } = settings;
  const { encoding, text: all } = await textOf(path, settings.encoding);
  const text = Array.from({ length: skip }).reduce<string>(
    (rest) => rest.slice(rest.indexOf('\n') + 1 || rest.length + 1),
    all,
  );
  const options: Options = {
    quote: quote === '' ? false : quote,
    ...(escape !== undefined && { escape }),
    ...(comment !== undefined && { comment, comment_no_infix: true }),
    record_delimiter: text.slice(0, headLength).includes('\n') ? ['\r\n', '\n'] : ['\r'],
    relax_column_count: true,
    skip_empty_lines: true,
  };
  const delimiter = settings.separator ?? separatorIn(path, text, options);
  const first = firstRows(text, { ...options, delimiter })?.[0] ?? { line: 0, cells: [''] };
  const columns = first.cells.map((_, index) => `c${index} VARCHAR`).join(', ');
  await connection.run(`CREATE OR REPLACE TEMP TABLE ${raw} (line BIGINT, ${columns})`);
  const appender = await connection.createAppender(raw, 'main', 'temp');
  const width = first.cells.length;
  const nulls = new Set(['', ...(settings.nulls ?? [])]);
  let [end, rows, left] = [skip, 0, 0];
  const append = (cells: readonly string[], { lines, empty_lines }: InfoRecord): null => {
    [end, left] = [skip + lines, empty_lines];
    if (isBlank(cells) && width > 1) return null;
    rows += 1;
    if (rows === 1 && header !== false) return null;
    const isRagged = cells.length < width ? !pad : cells.slice(width).some((cell) => cell !== '');
    if (isRagged) {
      const what = `has ${counted(cells.length, 'cell')}, and the first row, in line ${first.line + skip}, ${width}`;
      throw flaw(
        path,
        end,
        what,
        `mend it, or set "separator", "skip" for lines above the table, "comment", or "pad" for short rows`,
      );
    }
    appender.appendBigInt(BigInt(end));
    for (let at = 0; at < width; at++) {
      const cell = cells[at] ?? '';
      if (nulls.has(cell)) appender.appendNull();
      else appender.appendVarchar(cell);
    }
    appender.endRow();
    return null;
  };
  try {
    parse(text, { ...options, delimiter, on_record: append });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const what =
      error.code === 'CSV_QUOTE_NOT_CLOSED'
        ? 'has a quotation mark that is not closed'
        : 'begins a row with a quotation mark that neither encloses a cell nor is doubled';
    throw flaw(
      path,
      end + 1,
      what,
      'mend it, or set "quote" (empty where the marks are part of texts) or "escape"',
    );
  } finally {
    appender.closeSync();
  }
  if (rows === 0) throw new UserError(`${path} holds no rows`);
  const separated = separatorNames[delimiter] ?? JSON.stringify(delimiter);
  const note = joined(
    ', ',
    `from ${counted(end, 'line')} in ${encoding} with ${separated}`,
    left > 0 && `${counted(left, 'empty line')} left out`,
  );
  return { first: { ...first, line: first.line + skip }, note };
}

const separatorNames: Readonly<Record<string, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'bars',
};

const isBlank = (cells: readonly string[]): boolean =>
  cells.length === 1 && cells[0]?.trim() === '';

/** The text of a file. Without a name of its encoding it is in UTF-16 with a byte order mark or ASCII characters, UTF-8 or Windows-1252. */
async function textOf(
  path: string,
  given: string | undefined,
): Promise<{ readonly encoding: string; readonly text: string }> {
  const file = await readFile(path);
  const bytes = /\.gz$/i.test(path) ? gunzipSync(file) : file;
  const encoding = given ?? utf16In(bytes) ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252');
  if (given === undefined && encoding === 'windows-1252') requireWindows1252(path, bytes);
  try {
    // With `stream` Node 20 reads Windows-1252 as what it is, and not as Latin-1.
    return {
      encoding,
      text: new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true }),
    };
  } catch (error) {
    const what = isTooLong(error)
      ? 'is longer than a text may be: make a Parquet file of it'
      : `is not text in ${encoding}: set "encoding" in csv (\`turnwise docs databases\`)`;
    throw new UserError(`${path} ${what}`);
  }
}

const isTooLong = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STRING_TOO_LONG';

/** By the byte order mark, or by the zeros that UTF-16 has in ASCII characters. */
function utf16In(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, headLength);
  const zeros = [0, 1].map(
    (at) => head.filter((byte, index) => byte === 0 && index % 2 === at).length,
  );
  const [even = 0, odd = 0] = zeros;
  if ((head[0] === 0xff && head[1] === 0xfe) || odd > even + head.length / 8) return 'utf-16le';
  return (head[0] === 0xfe && head[1] === 0xff) || even > odd + head.length / 8
    ? 'utf-16be'
    : undefined;
}

/** Throws UserError unless bytes that are not UTF-8 may be Windows-1252, which has all characters of Latin-1. */
function requireWindows1252(path: string, bytes: Buffer): void {
  const lines = bytes.toString('latin1').split('\n');
  const lineOf = (test: (line: string) => boolean): number => lines.findIndex(test) + 1;
  const isRead = (line: string): boolean => isUtf8(Buffer.from(line, 'latin1'));
  const utf8 = lineOf((line) => /[\x80-\xff]/.test(line) && isRead(line));
  const other = lineOf((line) => !isRead(line));
  const foreign = lineOf((line) => /[\x81\x8d\x8f\x90\x9d]/.test(line));
  const remedy = 'save it in UTF-8, or set "encoding"';
  if (utf8 > 0) throw flaw(path, other, `is not in UTF-8, and line ${utf8} is`, remedy);
  if (foreign > 0) throw flaw(path, foreign, 'is neither in UTF-8 nor in Windows-1252', remedy);
}

/** What shows how a file is written: characters, and rows in them. */
const headLength = 2 ** 18;
const shownRows = 1000;

/** The first rows; null where quotation marks contradict the options. */
function firstRows(text: string, options: Options): readonly CsvRow[] | null {
  const found: CsvRow[] = [];
  const add = (cells: string[], { lines }: InfoRecord): null => {
    if (!isBlank(cells)) found.push({ line: lines, cells });
    return null;
  };
  const isCut = text.length > headLength;
  try {
    parse(text.slice(0, headLength), { ...options, to: shownRows, on_record: add });
    return isCut && found.length > 1 && found.length < shownRows ? found.slice(0, -1) : found;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return isCut && error.code === 'CSV_QUOTE_NOT_CLOSED' ? found : null;
  }
}

function separatorIn(path: string, text: string, options: Options): string {
  if (/\.tsv(\.gz)?$/i.test(path)) return '\t';
  const separator = separatorOf(
    separators.map(
      (delimiter) =>
        firstRows(text, { ...options, delimiter })?.map(({ cells }) => cells.length) ?? null,
    ),
  );
  if (separator !== null) return separator;
  throw flaw(
    path,
    1,
    'and all others have several cells by more than one separator',
    'set "separator"',
  );
}

interface Column {
  readonly name: string;
  /** In the raw rows. */
  readonly cell: string;
  /** Whether it has a type other than VARCHAR. */
  readonly isTyped: boolean;
  readonly sql: string;
  /** How many are not empty. */
  readonly values: number;
  readonly note: string;
}

const list = (values: readonly string[]): string => values.map(sqlText).join(', ');

/** Values that show which types need not be tried on all of them. */
const tried = 2000;

async function columnOf(
  connection: DuckDBConnection,
  name: string,
  cell: string,
  types: readonly CsvType[],
): Promise<Column> {
  const valued = `SELECT line, ${cell} AS v FROM ${raw} WHERE v NOT IN (${list(usualNulls)})`;
  const row = async (sql: string): Promise<readonly unknown[]> =>
    (await connection.runAndReadAll(sql)).getRows()[0] ?? [];
  const started = await row(
    `SELECT ${types.map(({ fits }) => `bool_or(${fits('v')})`).join(', ')} FROM (${valued} LIMIT ${tried})`,
  );
  const likely = types.filter((_, index) => started[index] === true);
  const [values = 0, all = 0, ...counts] = (
    await row(
      `SELECT ${[
        `(SELECT count(${cell}) FROM ${raw})`,
        'count(*)',
        ...likely.flatMap(({ fits, isSure = () => 'true' }) =>
          ['true', isSure('v')].map((sure) => `count(*) FILTER (${fits('v')} AND ${sure})`),
        ),
      ].join(', ')} FROM (${valued})`,
    )
  ).map(Number);
  const rated = likely.map((type, index) => ({
    type,
    fits: counts[2 * index] ?? 0,
    sure: counts[2 * index + 1] ?? 0,
  }));
  const base = { name, cell, values, isTyped: false, sql: cell, note: '' };
  const fitting = rated.filter(({ fits }) => fits === all);
  const chosen = fitting.find(({ sure }) => sure > 0)?.type;
  if (chosen !== undefined) {
    const nulls = await textsIn(
      connection,
      `SELECT DISTINCT ${cell} FROM ${raw} WHERE ${cell} IN (${list(usualNulls)}) ORDER BY ALL`,
    );
    const { cast, format } = chosen;
    const note = joined(
      '; ',
      format !== undefined && `written as ${format}`,
      nulls.length > 0 && `NULL is ${nulls.join(', ')}`,
    );
    const sql = cast(`CASE WHEN ${cell} NOT IN (${list(usualNulls)}) THEN ${cell} END`);
    return { ...base, isTyped: true, sql, note };
  }
  if (fitting[0] !== undefined) {
    const { type } = fitting[0].type;
    const note =
      type === 'DOUBLE'
        ? 'the mark may be of thousands or of a fraction: set "decimal" in csv'
        : 'day or month may be first: set "dates" in csv';
    return { ...base, note };
  }
  const [most] = rated.toSorted((one, other) => other.fits - one.fits);
  if (most === undefined || most.fits * 2 < all) return base;
  const [odd = '', line = ''] = await textsIn(
    connection,
    `SELECT unnest([left(v, 40), line::VARCHAR]) FROM (FROM (${valued}) WHERE NOT (${most.type.fits('v')}) ORDER BY line LIMIT 1)`,
  );
  const others = `${counted(all - most.fits, 'value')} no ${most.type.type}`;
  return { ...base, note: `${others}, such as ${JSON.stringify(odd)} in line ${line}` };
}

const textsIn = async (connection: DuckDBConnection, sql: string): Promise<readonly string[]> =>
  z.array(z.string()).parse((await connection.runAndReadAll(sql)).getRows().flat());

/** Whether the first row may be one of values: those in columns with a type have one, or a text stands in its column again. */
async function isRow(
  connection: DuckDBConnection,
  header: readonly string[],
  columns: readonly Column[],
  types: readonly CsvType[],
): Promise<boolean> {
  const isEmpty = columns.every(({ values }) => values === 0);
  const tests = columns.map(({ cell, isTyped }, index) => {
    const name = header[index]?.trim() ?? '';
    const text = sqlText(header[index] ?? '');
    const isValue = types.map(({ fits }) => `coalesce(${fits(text)}, false)`).join(' OR ');
    const isAgain = `EXISTS (FROM ${raw} WHERE ${cell} = ${text})`;
    const counts = name !== '' && !usualNulls.includes(name);
    return {
      typed: counts && (isTyped || isEmpty) ? isValue : null,
      again: counts && !isTyped ? isAgain : null,
    };
  });
  const typed = tests.flatMap(({ typed }) => (typed === null ? [] : [`(${typed})`]));
  const again = tests.flatMap(({ again }) => again ?? []);
  const sql = `SELECT ${[typed.join(' AND ') || 'false', ...again].join(' OR ')}`;
  return (await connection.runAndReadAll(sql)).getRows()[0]?.[0] === true;
}
