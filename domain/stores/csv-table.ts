import { z } from 'zod';
import { sqlText } from '../formats/sql.js';

/** What a CSV file does not tell about itself, or not surely. What is absent is found out. */
export const csvSettingsSchema = z.strictObject({
  /** A name of the WHATWG Encoding Standard, such as `latin1`. */
  encoding: z.string().min(1).optional(),
  separator: z.string().length(1).optional(),
  /** Empty: quotation marks are characters like any other. */
  quote: z.string().max(1).optional(),
  /** The character before a quotation mark that ends no cell. @defaultValue the quotation mark */
  escape: z.string().length(1).optional(),
  /** Lines above the table. */
  skip: z.int().nonnegative().optional(),
  /** What lines begin with that are no rows. */
  comment: z.string().length(1).optional(),
  /** Whether the first row names the columns. */
  header: z.boolean().optional(),
  /** Whether short rows are filled with NULL. */
  pad: z.boolean().optional(),
  /** Texts that are NULL in every column. */
  nulls: z.array(z.string()).readonly().optional(),
  decimal: z.enum([',', '.']).optional(),
  /** How dates are written, in the words of DuckDB's `strptime`, such as `%d/%m/%Y`. */
  dates: z.string().min(1).optional(),
});
export type CsvSettings = Readonly<z.infer<typeof csvSettingsSchema>>;

/** How the file of a table was read. */
export const csvReadingSchema = z.object({
  encoding: z.string(),
  separator: z.string(),
  header: z.boolean(),
  lines: z.int(),
  /** Lines with nothing in them, which are no rows. */
  blankLines: z.int(),
  /** Rows with empty cells behind the last column. */
  longRows: z.int(),
  /** Rows that were filled with NULL. */
  paddedRows: z.int(),
});
export type CsvReading = Readonly<z.infer<typeof csvReadingSchema>>;

/** How the values of a column were read, where that is not plain. */
export const csvColumnSchema = z.object({
  nulls: z.array(z.string()).readonly().optional(),
  /** Of dates, or `1.234,5` and `1,234.5`. */
  format: z.string().optional(),
  /** Why it stays VARCHAR: values that are not of the type of most, or may mean two things. */
  odd: z.object({ type: z.string(), values: z.int(), first: z.string(), line: z.int() }).optional(),
  unclear: z.enum(['dates', 'decimal']).optional(),
});
export type CsvColumn = Readonly<z.infer<typeof csvColumnSchema>>;

export const separators = [',', ';', '\t', '|'] as const;

/**
 * The separator of a file; null if several may be.
 * @param widths - for each of `separators` how many cells the first rows have under it; null where quotation marks contradict it
 */
export function separatorOf(widths: readonly (readonly number[] | null)[]): string | null {
  const under = separators.map((separator, index) => ({ separator, rows: widths[index] ?? [] }));
  const fitting = under.filter(
    ({ rows }) => (rows[0] ?? 0) > 1 && rows.every((width) => width === rows[0]),
  );
  if (fitting.length > 0) return fitting.length === 1 ? (fitting[0]?.separator ?? null) : null;
  const split = ({ rows }: (typeof under)[number]): number =>
    rows.filter((width) => width > 1).length;
  return under.toSorted((one, other) => split(other) - split(one))[0]?.separator ?? null;
}

/** A type that values in CSV may have. The functions make SQL of the SQL of a value, which is a text. */
export interface CsvType {
  readonly type: string;
  readonly format?: string;
  readonly fits: (value: string) => string;
  readonly cast: (value: string) => string;
  /** Holds for a value that means nothing else. @defaultValue all do */
  readonly isSure?: (value: string) => string;
  readonly unclear?: NonNullable<CsvColumn['unclear']>;
}

const matches = (value: string, pattern: string): string =>
  `regexp_full_match(${value}, '${pattern}')`;

const castTo =
  (type: string) =>
  (value: string): string =>
    `CAST(${value} AS ${type})`;

const plain = (type: string, pattern: string): CsvType => ({
  type,
  fits: (value) => `${matches(value, pattern)} AND TRY_CAST(${value} AS ${type}) IS NOT NULL`,
  cast: castTo(type),
});

/** Neither a telephone number nor a postal code is one: it would lose its sign or its zeros. */
const integer = String.raw` *-?(0|[1-9]\d*) *`;
const isoDay = String.raw`\d{4}[-/]\d{1,2}[-/]\d{1,2}`;

/** Whether a DOUBLE, which a column of fractions has, leaves an integer as it is. */
const isKept = (value: string): string =>
  `NOT (${matches(value, integer)} AND coalesce(abs(TRY_CAST(${value} AS HUGEINT)) > 9007199254740992, true))`;

const double: CsvType = {
  type: 'DOUBLE',
  fits: (value) =>
    `${matches(value, String.raw` *-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][-+]?\d+)? *|-?inf`)} AND ${isKept(value)}`,
  cast: castTo('DOUBLE'),
};

function decimals(separator: ',' | '.', isGiven: boolean): CsvType {
  const other = separator === ',' ? '.' : ',';
  const [point, group] = [`[${separator}]`, `[${other}]`];
  const pattern = String.raw` *-?(\d{1,3}(${group}\d{3})+|\d+)(${point}\d+)? *`;
  return {
    type: 'DOUBLE',
    format: separator === ',' ? '1.234,5' : '1,234.5',
    fits: (value) => `${matches(value, pattern)} AND ${isKept(value)}`,
    cast: (value) => castTo('DOUBLE')(`replace(replace(${value}, '${other}', ''), ',', '.')`),
    ...(!isGiven && {
      isSure: (value) =>
        `contains(${value}, '${separator}') AND NOT ${matches(value, String.raw` *-?\d{1,3}[,.]\d{3} *`)}`,
      unclear: 'decimal',
    }),
  };
}

/** @param swapped - the same with day and month in the other order, if that is as usual */
function dates(format: string, swapped: string | null): CsvType {
  const parsed = (value: string, as: string): string => `try_strptime(${value}, ${sqlText(as)})`;
  const type = /%[HIMSpf]/.test(format) ? 'TIMESTAMP' : 'DATE';
  return {
    ...{ type, format },
    fits: (value) => `${parsed(value, format)} IS NOT NULL`,
    cast: (value) => castTo(type)(`strptime(${value}, ${sqlText(format)})`),
    ...(swapped !== null && {
      isSure: (value) => `${parsed(value, swapped)} IS NULL`,
      unclear: 'dates',
    }),
  };
}

const usualDates = ['', ' %H:%M', ' %H:%M:%S'].flatMap((clock) => [
  ...['/', '-'].flatMap((mark) => {
    const day = `%d${mark}%m${mark}%Y${clock}`;
    const month = `%m${mark}%d${mark}%Y${clock}`;
    return [dates(day, month), dates(month, day)];
  }),
  dates(`%d.%m.%Y${clock}`, null),
]);

/** The types that a column may have, the first that fits all of its values before the others. */
export const csvTypes = ({ decimal, dates: given }: CsvSettings): readonly CsvType[] => [
  ...(given === undefined ? [] : [dates(given, null)]),
  plain('BOOLEAN', '(?i:true|false)'),
  plain('BIGINT', integer),
  plain('HUGEINT', integer),
  ...(decimal === ',' ? [] : [double]),
  ...(decimal === undefined
    ? [decimals(',', false), decimals('.', false)]
    : [decimals(decimal, true)]),
  ...(given === undefined ? usualDates : []),
  plain('DATE', isoDay),
  plain('TIMESTAMP', String.raw`${isoDay}([ T]\d{1,2}:\d{2}(:\d{2}(\.\d{1,6})?)?Z?)?`),
  plain('TIME', String.raw`\d{1,2}:\d{2}:\d{2}(\.\d{1,6})?`),
];

/** Texts that stand for no value where all other values of a column have a type that they do not fit. */
export const usualNulls = [
  ...['NA', 'N/A', 'n/a', '#N/A', '<NA>', 'NULL', 'null', 'Null', 'None', 'NaN', 'nan', 'NaT'],
  ...['\\N', '-', '--', '?', '.'],
];

/** How many values of a column fit each of `csvTypes`, and how many surely. */
export interface CsvFigures {
  readonly values: number;
  readonly counts: readonly { readonly fits: number; readonly sure: number }[];
}

type CsvChoice =
  | { readonly kind: 'type'; readonly type: CsvType }
  | { readonly kind: 'text'; readonly unclear: CsvColumn['unclear'] }
  /** Most values have the type. */
  | { readonly kind: 'mixed'; readonly type: CsvType; readonly fits: number };

export function chooseType(types: readonly CsvType[], { values, counts }: CsvFigures): CsvChoice {
  const rated = types.map((type, index) => ({ type, ...(counts[index] ?? { fits: 0, sure: 0 }) }));
  const fitting = values === 0 ? [] : rated.filter(({ fits }) => fits === values);
  const sure = fitting.find((each) => each.sure > 0);
  if (sure !== undefined) return { kind: 'type', type: sure.type };
  const [unsure] = fitting;
  if (unsure !== undefined) return { kind: 'text', unclear: unsure.type.unclear };
  const best = rated.toSorted((one, other) => other.fits - one.fits)[0];
  return best !== undefined && values > 0 && best.fits * 2 >= values
    ? { kind: 'mixed', type: best.type, fits: best.fits }
    : { kind: 'text', unclear: undefined };
}

/** The names of columns, each once: the second `a` is `a_1`, and one without a name `column0` by its position, as in DuckDB. */
export function columnNames(cells: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return cells.map((cell, index) => {
    const base = cell.trim() === '' ? `column${index}` : cell.trim();
    let name = base;
    for (let again = 1; taken.has(name.toLowerCase()); again++) name = `${base}_${again}`;
    taken.add(name.toLowerCase());
    return name;
  });
}
