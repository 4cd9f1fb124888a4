/** A value of a SQLite column. An integer beyond the safe ones is a bigint. */
export type SqliteValue =
  | { readonly kind: 'number'; readonly value: number | bigint }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'blob'; readonly hex: string };

/** The DuckDB types that a column may get: the first that all of its values fit, else VARCHAR. */
export interface TypeCandidates {
  readonly types: readonly string[];
  /** Whether VARCHAR would contradict the declaration. */
  readonly strict: boolean;
}

const strict = (...types: readonly string[]): TypeCandidates => ({ types, strict: true });

/** By rank: a declaration is read by the first row that it matches, as SQLite reads it by its affinity rules. */
const candidatesByDeclaration: readonly (readonly [RegExp, TypeCandidates])[] = [
  [/INT/, strict('BIGINT')],
  [/CHAR|CLOB|TEXT/, strict('VARCHAR')],
  [/BLOB/, strict('BLOB')],
  [/REAL|FLOA|DOUB/, strict('DOUBLE')],
  [/BOOL/, strict('BOOLEAN')],
  [/DATETIME|TIMESTAMP/, strict('TIMESTAMP')],
  [/DATE/, strict('DATE', 'TIMESTAMP')],
  [/TIME/, strict('TIME', 'TIMESTAMP')],
  [/^\s*(NUM|DEC)/, strict('DOUBLE')],
  // No type, or one that SQLite does not know, such as YEAR or STRING.
  [/^/, { types: ['BIGINT', 'DOUBLE', 'VARCHAR', 'BLOB'], strict: false }],
];

/**
 * The types for a declared type, by SQLite's affinity (https://www.sqlite.org/datatype3.html, section 3.1), with booleans,
 * dates and decimals told apart, which SQLite does not know.
 */
export function candidatesFor(declared: string): TypeCandidates {
  const upper = declared.toUpperCase();
  const [, precision, scale = '0'] =
    /^\s*(?:NUM|DEC)[^(]*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)/.exec(upper) ?? [];
  if (precision !== undefined && Number(precision) <= 38 && Number(scale) <= Number(precision)) {
    return strict(`DECIMAL(${Number(precision)},${Number(scale)})`, 'DOUBLE');
  }
  const [, found] = candidatesByDeclaration.find(([pattern]) => pattern.test(upper)) ?? [];
  return found ?? strict('VARCHAR');
}

const day = String.raw`\d{4}-(?:0?[1-9]|1[0-2])-(?:0?[1-9]|[12]\d|3[01])`;
const clock = String.raw`(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?`;
const datePattern = new RegExp(`^(${day})$`);
const timePattern = new RegExp(`^${clock}$`);
const timestampPattern = new RegExp(`^(${day})(?:[ T]${clock}(?:Z|\\+00:?00)?)?$`);

/** Whether DuckDB has the value in this type without changing it. */
export function fits(type: string, value: SqliteValue): boolean {
  switch (type) {
    case 'BIGINT':
      return (
        value.kind === 'number' &&
        (typeof value.value === 'bigint' || Number.isSafeInteger(value.value))
      );
    case 'DOUBLE':
      return value.kind === 'number';
    case 'VARCHAR':
      return value.kind === 'text';
    case 'BLOB':
      return value.kind === 'blob';
    case 'BOOLEAN':
      return booleanOf(value) !== null;
    case 'DATE':
      return value.kind === 'text' && isDay(datePattern.exec(value.value)?.[1]);
    case 'TIME':
      return value.kind === 'text' && timePattern.test(value.value);
    case 'TIMESTAMP':
      return value.kind === 'text' && isDay(timestampPattern.exec(value.value)?.[1]);
    default:
      return value.kind === 'number' && fitsDecimal(type, String(value.value));
  }
}

/** Null if the value is no boolean. */
export function booleanOf(value: SqliteValue): boolean | null {
  if (value.kind === 'number' && Number(value.value) === 1) return true;
  if (value.kind === 'number' && Number(value.value) === 0) return false;
  if (value.kind !== 'text') return null;
  const word = value.value.toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : null;
}

/** Whether the calendar has this day: the pattern lets the 31st of February pass. */
function isDay(text: string | undefined): boolean {
  if (text === undefined) return false;
  const [year = 0, month = 0, date = 0] = text.split('-').map(Number);
  return new Date(Date.UTC(2000 + (year % 400), month - 1, date)).getUTCDate() === date;
}

/** @param type - such as `DECIMAL(10,2)` */
function fitsDecimal(type: string, text: string): boolean {
  const [precision = 0, scale = 0] = (type.match(/\d+/g) ?? []).map(Number);
  const [, whole = '', fraction = ''] = /^-?(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const digits = whole.replace(/^0+/, '').length;
  return whole !== '' && digits <= precision - scale && fraction.length <= scale;
}
