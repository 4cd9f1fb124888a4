import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { DuckDBAppender, DuckDBConnection } from '@duckdb/node-api';
import { CsvError, parse, type Options } from 'csv-parse';
import { parse as parseWhole } from 'csv-parse/sync';
import { z } from 'zod';
import { sqlText } from '../../../domain/formats/sql.js';
import { counted } from '../../../domain/formats/text.js';
import {
  chooseType,
  columnNames,
  csvTypes,
  separatorOf,
  separators,
  usualNulls,
  type CsvColumn,
  type CsvFigures,
  type CsvReading,
  type CsvSettings,
  type CsvType,
} from '../../../domain/stores/csv-table.js';
import { sqlName } from '../../../domain/stores/database-ddl.js';
import { UserError } from '../../../domain/user-error.js';

interface CsvSource {
  /** A file, which is compressed by gzip if its name ends in `.gz`. */
  readonly path: string;
  /** To be made. */
  readonly table: string;
  readonly settings: CsvSettings;
}

export interface CsvTable {
  readonly reading: CsvReading;
  /** By the name of the column. */
  readonly columns: ReadonlyMap<string, CsvColumn>;
}

/**
 * Makes a table of a CSV file: a row of each record. Throws UserError naming the file, the line and what helps where that cannot
 * be.
 */
export async function importCsv(
  connection: DuckDBConnection,
  source: CsvSource,
): Promise<CsvTable> {
  const { path, settings } = source;
  const head = await headOf(path);
  const encoding = settings.encoding ?? encodingOf(head.bytes);
  try {
    return await importAs(connection, source, encoding, head);
  } catch (error) {
    if (!isMisread(error)) throw error;
    if (settings.encoding !== undefined || encoding !== 'utf-8') {
      throw new UserError(`${path} is not text in ${encoding}: set "encoding" in csv ${help}`);
    }
    await requireWindows1252(path);
    return importAs(connection, source, 'windows-1252', head);
  }
}

const help = '(docs/databases.md#csv)';

/** What the decoder throws for a name that it does not know, and for bytes that the encoding does not have. */
const isMisread = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ERR_ENCODING_NOT_SUPPORTED' ||
    error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA');

/** The beginning of a file. */
interface Head {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
}

const headBytes = 2 ** 18;

/** The bytes of the text. */
function bytesOf(path: string): Readable {
  const file = createReadStream(path, { highWaterMark: 2 ** 20 });
  if (!/\.gz$/i.test(path)) return file;
  const text = createGunzip();
  file.on('error', (error) => text.destroy(error)).pipe(text);
  return text.on('error', () => file.destroy());
}

async function headOf(path: string): Promise<Head> {
  let bytes = Buffer.alloc(0);
  // A stream without an encoding gives buffers.
  for await (const chunk of bytesOf(path) as AsyncIterable<Buffer>) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length > headBytes) return { bytes: bytes.subarray(0, headBytes), isWhole: false };
  }
  return { bytes, isWhole: true };
}

/** By the byte order mark, or by the zeros that UTF-16 has in ASCII characters. */
function encodingOf(head: Buffer): string {
  const zeros = [0, 0];
  head.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  if ((head[0] === 0xff && head[1] === 0xfe) || odd > even + head.length / 8) return 'utf-16le';
  if ((head[0] === 0xfe && head[1] === 0xff) || even > odd + head.length / 8) return 'utf-16be';
  return 'utf-8';
}

/** Throws UserError unless a file without UTF-8 may be in Windows-1252, which has all characters of Latin-1. */
async function requireWindows1252(path: string): Promise<void> {
  const lines = createInterface({
    input: bytesOf(path).setEncoding('latin1'),
    crlfDelay: Infinity,
  });
  let [line, other, utf8, foreign] = [0, 0, 0, 0];
  for await (const text of lines) {
    line += 1;
    if (!/[\x80-\xff]/.test(text)) continue;
    if (isUtf8(Buffer.from(text, 'latin1'))) utf8 ||= line;
    else other ||= line;
    if (/[\x81\x8d\x8f\x90\x9d]/.test(text)) foreign ||= line;
  }
  if (utf8 === 0 && foreign === 0) return;
  const why =
    utf8 > 0
      ? `line ${utf8} is UTF-8 and line ${other} is not`
      : `line ${foreign} is neither in UTF-8 nor in Windows-1252`;
  throw new UserError(`${path}: ${why}: save it in UTF-8, or set "encoding" in csv ${help}`);
}

/** The text below `skip` lines. Throws what `isMisread` knows. */
async function* textOf(path: string, encoding: string, skip: number): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let left = skip;
  const below = (text: string): string => {
    let at = 0;
    for (; left > 0; left--) {
      const end = text.indexOf('\n', at);
      if (end === -1) return '';
      at = end + 1;
    }
    return text.slice(at);
  };
  // A stream without an encoding gives buffers.
  for await (const chunk of bytesOf(path) as AsyncIterable<Buffer>) {
    yield below(decoder.decode(chunk, { stream: true }));
  }
  yield below(decoder.decode());
}

async function importAs(
  connection: DuckDBConnection,
  source: CsvSource,
  encoding: string,
  head: Head,
): Promise<CsvTable> {
  const { path, table, settings } = source;
  const { header, width, reading } = await loadRaw(connection, source, encoding, head);
  const names = columnNames(header?.cells ?? Array<string>(width).fill(''));
  const types = csvTypes(settings);
  const columns: ChosenColumn[] = [];
  for (const [index, name] of names.entries()) {
    columns.push({
      name,
      cell: `c${index}`,
      ...(await chooseColumn(connection, `c${index}`, types)),
    });
  }
  if (header !== null && settings.header === undefined) {
    await requireNames(connection, path, header, columns, types);
  }
  const kept = columns.filter(
    ({ values }, index) => values > 0 || header?.cells[index]?.trim() !== '',
  );
  const parts = kept.map(({ name, cell, type, notes: { nulls = [] } }) => {
    const value =
      nulls.length > 0 ? `CASE WHEN ${cell} NOT IN (${list(nulls)}) THEN ${cell} END` : cell;
    return `${type === null ? cell : type.cast(value)} AS ${sqlName(name)}`;
  });
  await connection.run(`CREATE TABLE ${sqlName(table)} AS SELECT ${parts.join(', ')} FROM ${raw}`);
  await connection.run(`DROP TABLE ${raw}`);
  return {
    reading: { ...reading, header: header !== null },
    columns: new Map(kept.map(({ name, notes }) => [name, notes])),
  };
}

interface CsvRow {
  /** Where it ends. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The rows as the file has them: columns `c0`, `c1` and so on of texts, and where each row ends. */
const raw = 'turnwise_csv_rows';

interface ParsedRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number; readonly empty_lines: number };
}

interface RawRows {
  /** What names the columns; null if nothing does. */
  readonly header: CsvRow | null;
  readonly width: number;
  readonly reading: Omit<CsvReading, 'header'>;
}

async function loadRaw(
  connection: DuckDBConnection,
  { path, settings }: CsvSource,
  encoding: string,
  head: Head,
): Promise<RawRows> {
  const { skip = 0, comment, escape, quote = '"' } = settings;
  const start = new TextDecoder(encoding).decode(head.bytes, { stream: true });
  const text = start.split('\n').slice(skip).join('\n');
  const options: Options = {
    quote: quote === '' ? false : quote,
    ...(escape !== undefined && { escape }),
    ...(comment !== undefined && { comment, comment_no_infix: true }),
    record_delimiter: text.includes('\n') ? ['\r\n', '\n'] : ['\r'],
    relax_column_count: true,
    skip_empty_lines: true,
  };
  const separator = settings.separator ?? separatorIn(path, text, head.isWhole, options);
  const parser = parse({ ...options, delimiter: separator, info: true });
  const rows = new RawWriter(connection, path, settings);
  const below = Readable.from(textOf(path, encoding, skip));
  below.on('error', (error) => parser.destroy(error)).pipe(parser);
  const end = { lines: skip, emptyLines: 0 };
  try {
    // What `info` makes of them.
    for await (const { record, info } of parser as AsyncIterable<ParsedRecord>) {
      Object.assign(end, { lines: skip + info.lines, emptyLines: info.empty_lines });
      await rows.add({ line: end.lines, cells: record });
    }
  } catch (error) {
    throw error instanceof CsvError ? misquoted(path, error, end.lines + 1) : error;
  } finally {
    below.destroy();
    rows.close();
  }
  return rows.result({ encoding, separator, lines: end.lines }, end.emptyLines);
}

class RawWriter {
  #first: CsvRow | null = null;
  #appender: DuckDBAppender | null = null;
  #blank = 0;
  #long = 0;
  #padded = 0;
  readonly #nulls: ReadonlySet<string>;

  constructor(
    private readonly connection: DuckDBConnection,
    private readonly path: string,
    private readonly settings: CsvSettings,
  ) {
    this.#nulls = new Set(['', ...(settings.nulls ?? [])]);
  }

  async add(row: CsvRow): Promise<void> {
    const { cells, line } = row;
    if (cells.length === 1 && cells[0]?.trim() === '' && this.#first?.cells.length !== 1) {
      this.#blank += 1;
      return;
    }
    if (this.#first === null) {
      this.#first = row;
      const columns = cells.map((_, index) => `c${index} VARCHAR`).join(', ');
      await this.connection.run(`CREATE OR REPLACE TEMP TABLE ${raw} (line BIGINT, ${columns})`);
      this.#appender = await this.connection.createAppender(raw, 'main', 'temp');
      if (this.settings.header !== false) return;
    }
    const width = this.#first.cells.length;
    if (cells.length < width) {
      if (this.settings.pad !== true) throw ragged(this.path, this.#first, row);
      this.#padded += 1;
    } else if (cells.length > width) {
      if (cells.slice(width).some((cell) => cell !== '')) throw ragged(this.path, this.#first, row);
      this.#long += 1;
    }
    this.#appender?.appendBigInt(BigInt(line));
    for (let at = 0; at < width; at++) {
      const cell = cells[at] ?? '';
      if (this.#nulls.has(cell)) this.#appender?.appendNull();
      else this.#appender?.appendVarchar(cell);
    }
    this.#appender?.endRow();
  }

  close(): void {
    this.#appender?.closeSync();
  }

  result(
    reading: Pick<CsvReading, 'encoding' | 'separator' | 'lines'>,
    emptyLines: number,
  ): RawRows {
    if (this.#first === null) throw new UserError(`${this.path} holds no rows`);
    return {
      header: this.settings.header === false ? null : this.#first,
      width: this.#first.cells.length,
      reading: {
        ...reading,
        blankLines: this.#blank + emptyLines,
        longRows: this.#long,
        paddedRows: this.#padded,
      },
    };
  }
}

/** Rows that show what separates cells. */
const sampled = 1000;

function separatorIn(path: string, text: string, isWhole: boolean, options: Options): string {
  if (/\.tsv(\.gz)?$/i.test(path)) return '\t';
  const widths = separators.map((delimiter): readonly number[] | null => {
    const found: number[] = [];
    const onRecord = (cells: string[]): null => {
      if (cells.length > 1 || cells[0]?.trim() !== '') found.push(cells.length);
      return null;
    };
    try {
      parseWhole(text, { ...options, delimiter, to: sampled, on_record: onRecord });
      // The last one may be cut.
      return isWhole || found.length >= sampled ? found : found.slice(0, -1);
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      return !isWhole && error.code === 'CSV_QUOTE_NOT_CLOSED' ? found : null;
    }
  });
  const separator = separatorOf(widths);
  if (separator !== null) return separator;
  throw new UserError(
    `${path}: line 1 and all others have several cells by more than one separator: set "separator" in csv ${help}`,
  );
}

const ragged = (path: string, first: CsvRow, { line, cells }: CsvRow): UserError =>
  new UserError(
    `${path}: line ${line} has ${counted(cells.length, 'cell')}, and line ${first.line}, the first, has ${first.cells.length}: mend it, or set in csv "skip" for lines above the table, "comment", "pad" for short rows, or "separator" ${help}`,
  );

/** @param line - where the row begins, or an empty line above it */
function misquoted(path: string, { code }: CsvError, line: number): UserError {
  const what =
    code === 'CSV_QUOTE_NOT_CLOSED'
      ? 'has a quotation mark that is not closed'
      : 'begins a row with a quotation mark that neither encloses a cell nor is doubled';
  return new UserError(
    `${path}: line ${line} ${what}: mend it, or set in csv "quote" (empty where the marks are part of texts) or "escape" ${help}`,
  );
}

interface ChosenColumn {
  readonly name: string;
  /** Its name in the raw rows. */
  readonly cell: string;
  /** Null for VARCHAR. */
  readonly type: CsvType | null;
  /** How many are not empty. */
  readonly values: number;
  readonly notes: CsvColumn;
}

const list = (values: readonly string[]): string => values.map(sqlText).join(', ');

/** Values that show which types need not be tried on all of them. */
const tried = 2000;

async function chooseColumn(
  connection: DuckDBConnection,
  cell: string,
  types: readonly CsvType[],
): Promise<Pick<ChosenColumn, 'type' | 'values' | 'notes'>> {
  const valuesWithout = (nulls: readonly string[]): string =>
    `SELECT line, ${cell} AS v FROM ${raw} WHERE ${cell} IS NOT NULL${nulls.length > 0 ? ` AND v NOT IN (${list(nulls)})` : ''}`;
  const choose = async (values: string) => {
    const tests = types.map(({ fits }) => `bool_or(${fits('v')})`).join(', ');
    const first = await connection.runAndReadAll(`SELECT ${tests} FROM (${values} LIMIT ${tried})`);
    const [found] = first.getRows();
    const likely = types.filter((_, index) => found?.[index] === true);
    const figures = await figuresOf(connection, values, likely);
    return { figures, choice: chooseType(likely, figures) };
  };
  const all = await choose(valuesWithout([]));
  const { values } = all.figures;
  const formatOf = ({ format }: CsvType): CsvColumn => (format === undefined ? {} : { format });
  if (all.choice.kind === 'type') {
    const { type } = all.choice;
    return { type, values, notes: formatOf(type) };
  }
  const nulls = await textsIn(
    connection,
    `SELECT DISTINCT v FROM (${valuesWithout([])}) WHERE v IN (${list(usualNulls)}) ORDER BY v`,
  );
  const { figures, choice } = nulls.length > 0 ? await choose(valuesWithout(nulls)) : all;
  if (choice.kind === 'type') {
    return { type: choice.type, values, notes: { ...formatOf(choice.type), nulls } };
  }
  if (choice.kind === 'text') {
    const { unclear } = choice;
    return { type: null, values, notes: unclear === undefined ? {} : { unclear } };
  }
  const { type, fits } = choice;
  const [first = '', line = ''] = await textsIn(
    connection,
    `SELECT unnest([v, line::VARCHAR]) FROM (FROM (${valuesWithout(nulls)}) WHERE NOT (${type.fits('v')}) ORDER BY line LIMIT 1)`,
  );
  const odd = {
    type: type.type,
    values: figures.values - fits,
    first: first.slice(0, 40),
    line: Number(line),
  };
  return { type: null, values, notes: { odd } };
}

/** @param values - a query with a column `v` */
async function figuresOf(
  connection: DuckDBConnection,
  values: string,
  types: readonly CsvType[],
): Promise<CsvFigures> {
  const counts = types.flatMap(({ fits, isSure = () => 'true' }) => [
    `count(*) FILTER (${fits('v')})`,
    `count(*) FILTER (${fits('v')} AND ${isSure('v')})`,
  ]);
  const reader = await connection.runAndReadAll(
    `SELECT ${['count(*)', ...counts].join(', ')} FROM (${values})`,
  );
  const [all = 0, ...found] = (reader.getRows()[0] ?? []).map(Number);
  return {
    values: all,
    counts: types.map((_, index) => ({
      fits: found[2 * index] ?? 0,
      sure: found[2 * index + 1] ?? 0,
    })),
  };
}

const textsIn = async (connection: DuckDBConnection, sql: string): Promise<readonly string[]> =>
  z.array(z.string()).parse((await connection.runAndReadAll(sql)).getRows().flat());

/** Throws UserError where the first row may be one of values. */
async function requireNames(
  connection: DuckDBConnection,
  path: string,
  { cells, line }: CsvRow,
  columns: readonly ChosenColumn[],
  types: readonly CsvType[],
): Promise<void> {
  const isValue = (cell: string): string =>
    `(${types.map(({ fits }) => `coalesce(${fits(sqlText(cell))}, false)`).join(' OR ')})`;
  const isEmpty = columns.every(({ values }) => values === 0);
  const typed = columns.flatMap(({ type }, index) => {
    const cell = cells[index]?.trim() ?? '';
    const isCounted = (type !== null || isEmpty) && cell !== '' && !usualNulls.includes(cell);
    return isCounted ? [isValue(cell)] : [];
  });
  const again = columns.flatMap(({ cell, type }, index) =>
    type === null && cells[index]
      ? [`EXISTS (FROM ${raw} WHERE ${cell} = ${sqlText(cells[index])})`]
      : [],
  );
  const isRow = [typed.join(' AND ') || 'false', ...again].join(' OR ');
  const reader = await connection.runAndReadAll(`SELECT ${isRow}`);
  if (reader.getRows()[0]?.[0] !== true) return;
  throw new UserError(
    `${path}: line ${line} may hold values and no names of columns: set "header" in csv to true or false ${help}`,
  );
}
