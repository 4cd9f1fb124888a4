import { z } from 'zod';
import { sqlText } from '../formats/sql.js';

/** What a CSV file does not tell about itself, or not surely. What is absent is found out. */
export const csvSettingsSchema = z.strictObject({
  /** A name of the WHATWG Encoding Standard, such as `latin1`. */
  encoding: z.string().min(1).optional(),
  separator: z.string().length(1).optional(),
  /** Empty: quotation marks are characters like any other. */
  quote: z.string().max(1).optional(),
  /** Stands before a quotation mark that ends no cell. @defaultValue the quotation mark */
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

export const separators = [',', ';', '\t', '|'] as const;

/**
 * The separator of a file; null if several may be.
 * @param widths - under each of `separators` how many cells the first rows have; null where quotation marks contradict it
 */
export function separatorOf(widths: readonly (readonly number[] | null)[]): string | null {
  const under = separators.map((separator, index) => ({ separator, rows: widths[index] ?? [] }));
  const fitting = under.filter(
    ({ rows }) => (rows[0] ?? 0) > 1 && rows.every((width) => width === rows[0]),
  );
  if (fitting.length > 1) return null;
  const split = (rows: readonly number[]): number => rows.filter((width) => width > 1).length;
  const most = under.toSorted((one, other) => split(other.rows) - split(one.rows));
  return (fitting[0] ?? most[0])?.separator ?? null;
}

/** A type that values in CSV may have. The functions make SQL of the SQL of a value, which is a text. */
export interface CsvType {
  readonly type: string;
  /** Of dates, or `1.234,5` and `1,234.5`. */
  readonly format?: string;
  readonly fits: (value: string) => string;
  readonly cast: (value: string) => string;
  /** Holds for a value that nothing else fits. @defaultValue for all values */
  readonly isSure?: (value: string) => string;
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

/** Also that a DOUBLE, which a column of fractions has, leaves integers as they are. */
const isFraction = (value: string, pattern: string): string =>
  `${matches(value, pattern)} AND NOT (${matches(value, integer)}
   AND coalesce(abs(TRY_CAST(${value} AS HUGEINT)) > 9007199254740992, true))`;

const double: CsvType = {
  type: 'DOUBLE',
  fits: (value) =>
    isFraction(value, String.raw` *-?((0|[1-9]\d*)(\.\d*)?|\.\d+)([eE][-+]?\d+)? *|-?inf`),
  cast: castTo('DOUBLE'),
};

function decimals(mark: ',' | '.'): CsvType {
  const group = mark === ',' ? '.' : ',';
  const pattern = String.raw` *-?(\d{1,3}([${group}]\d{3})+|\d+)([${mark}]\d+)? *`;
  const isEither = String.raw` *-?\d{1,3}[,.]\d{3} *`;
  return {
    type: 'DOUBLE',
    format: mark === ',' ? '1.234,5' : '1,234.5',
    fits: (value) => isFraction(value, pattern),
    cast: (value) => castTo('DOUBLE')(`replace(replace(${value}, '${group}', ''), ',', '.')`),
    isSure: (value) => `contains(${value}, '${mark}') AND NOT ${matches(value, isEither)}`,
  };
}

/** @param swapped - the same with day and month in the other order, if that is as usual */
function dates(format: string, swapped?: string): CsvType {
  const type = /%[HIMSpf]/.test(format) ? 'TIMESTAMP' : 'DATE';
  return {
    ...{ type, format },
    fits: (value) => `try_strptime(${value}, ${sqlText(format)}) IS NOT NULL`,
    cast: (value) => castTo(type)(`strptime(${value}, ${sqlText(format)})`),
    ...(swapped !== undefined && {
      isSure: (value) => `try_strptime(${value}, ${sqlText(swapped)}) IS NULL`,
    }),
  };
}

const usualDates = ['', ' %H:%M', ' %H:%M:%S'].flatMap((clock) => [
  dates(`%d.%m.%Y${clock}`),
  ...['/', '-'].flatMap((mark) => {
    const [day, month] = [`%d${mark}%m${mark}%Y${clock}`, `%m${mark}%d${mark}%Y${clock}`] as const;
    return [dates(day, month), dates(month, day)];
  }),
]);

/** The types that a column may have, the first that fits all of its values before the others. */
export const csvTypes = ({ decimal, dates: given }: CsvSettings): readonly CsvType[] => [
  ...(given === undefined ? [] : [dates(given)]),
  plain('BOOLEAN', '(?i:true|false)'),
  plain('BIGINT', integer),
  plain('HUGEINT', integer),
  ...(decimal === ',' ? [] : [double]),
  ...(decimal === undefined
    ? [decimals(','), decimals('.')]
    : [{ ...decimals(decimal), isSure: () => 'true' }]),
  ...(given === undefined ? usualDates : []),
  plain('DATE', isoDay),
  plain('TIMESTAMP', String.raw`${isoDay}([ T]\d{1,2}:\d{2}(:\d{2}(\.\d{1,6})?)?Z?)?`),
  plain('TIME', String.raw`\d{1,2}:\d{2}:\d{2}(\.\d{1,6})?`),
];

/** Texts that stand for no value where all other values of a column have a type. */
export const usualNulls = [
  ...['NA', 'N/A', 'n/a', '#N/A', '<NA>', 'NULL', 'null', 'Null', 'None', 'NaN', 'nan', 'NaT'],
  ...['\\N', '-', '--', '?', '.'],
];

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
