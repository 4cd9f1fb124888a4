import type { Cell } from '../../agent/observations/tool-outcome.js';
import { sqlText } from '../../formats/sql.js';
import { type DatabaseTable, type Engine } from '../../stores/database.js';
import { sqlName } from '../../stores/database-schema.js';

/** A text, whatever the type. Null is NULL. */
export type Value = string | null;
export type Row = ReadonlyMap<string, Value>;

/** What all values of a column look like. Of `others`, such as times or telephone numbers, none can be made. */
type Kind = 'int' | 'real' | 'day' | 'time' | 'text' | 'others';

interface CopiedColumn {
  readonly name: string;
  readonly type: string;
  readonly kind: Kind;
  readonly isQuoted: boolean;
  readonly nullable: boolean;
  /** What the statements compare it with, and what lies beside. */
  readonly edges: readonly string[];
  readonly values: readonly string[];
}

export interface Reference {
  readonly columns: readonly string[];
  readonly table: string;
  readonly targets: readonly string[];
  /** Whether the schema declares it. Others are comparisons of the statements, which most rows meet. */
  readonly isDeclared: boolean;
}

/** A table as its copies are made of it. */
export interface CopiedTable extends Pick<DatabaseTable, 'name' | 'checks'> {
  readonly columns: readonly CopiedColumn[];
  /** Columns whose values together no two rows share. */
  readonly keys: readonly (readonly string[])[];
  readonly references: readonly Reference[];
  /** Some of the real rows. */
  readonly rows: readonly Row[];
}

export const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const keyName = /(?:^|_)(?:id|uuid|key|code)$|[a-z]I[dD]$/i;

/** Some rows of a table, first those with constants of the statements; behind them, whether each column that is named like a key is one. */
export function sampleSql(
  { name: table, columns }: DatabaseTable,
  engine: Engine,
  { constants }: StatementWords,
): string {
  const names = columns.map(({ name }) => sqlName(name));
  const asText = (name: string): string => `CAST(${name} AS VARCHAR)`;
  const list = [...constants.values()]
    .flatMap((each) => [...each])
    .map(sqlText)
    .join(', ');
  const hits = names.map((name) => `CASE WHEN ${asText(name)} IN (${list}) THEN 1 ELSE 0 END`);
  const keys = columns
    .filter(({ name }) => keyName.test(name))
    .map(
      ({ name }) => `(SELECT count(*) = count(DISTINCT ${sqlName(name)}) FROM ${sqlName(table)})`,
    );
  const cells = names.map((name) => (engine === 'sqlite' ? `quote(${name})` : asText(name)));
  const order = list === '' ? '' : ` ORDER BY ${hits.join(' + ')} DESC`;
  return `SELECT ${[...cells, ...keys].join(', ')} FROM ${sqlName(table)}${order} LIMIT 60`;
}

/**
 * A table to be copied. Kept is what the schema declares and, where it declares no primary key, that a column which is named like a
 * key has no value twice.
 * @param cells - the rows of `sampleSql`
 */
export function copiedTable(
  table: DatabaseTable,
  tables: readonly DatabaseTable[],
  engine: Engine,
  words: StatementWords,
  cells: readonly (readonly Cell[])[],
): CopiedTable {
  const facts = table.columns.filter(({ name }) => keyName.test(name)).map(({ name }) => name);
  const isKey = (at: number): boolean => Boolean(cells[0]?.[table.columns.length + at]);
  const primary = [table.primaryKey].filter((key) => key.length > 0);
  const inferred =
    primary.length > 0 ? [] : facts.filter((_, at) => isKey(at)).map((name) => [name]);
  const whole = [...primary, ...inferred];
  const columns = table.columns.map(
    ({ name, type, nullable }, at): CopiedColumn & { all: Value[] } => {
      const raw = cells
        .map((row) => row[at] as Value)
        .map((cell) => (cell === 'NULL' ? null : cell));
      const given = raw.filter((cell) => cell !== null);
      const isQuoted =
        engine === 'sqlite' &&
        given.every((cell) => cell.startsWith("'")) &&
        (given.length > 0 || !number.test(type));
      const all = raw.map((cell) =>
        isQuoted && cell ? cell.slice(1, -1).replaceAll("''", "'") : cell,
      );
      const truths = engine === 'duckdb' && type === 'BOOLEAN' ? ['true', 'false'] : [];
      const values = [...new Set([...all.filter((value) => value !== null), ...truths])];
      const found = kindOf(values, type);
      const isLiteral = engine === 'sqlite' && !isQuoted && found !== 'int' && found !== 'real';
      const kind = isLiteral ? 'others' : found;
      const constants = [...(words.constants.get(name.toLowerCase()) ?? [])];
      const beside = [...new Set(constants.flatMap((each) => edgesOf(each, kind, values[0])))];
      const isKept = whole.some((key) => key.some((each) => same(each, name)));
      return {
        name,
        type,
        kind,
        isQuoted,
        nullable: nullable && !isKept,
        edges: beside,
        values,
        all,
      };
    },
  );
  const declared = table.foreignKeys.flatMap(({ columns: own, table: other, references }) => {
    const target = tables.find(({ name }) => same(name, other));
    const targets = references.length > 0 ? references : (target?.primaryKey ?? []);
    return target && targets.length === own.length
      ? [{ columns: own, table: target.name, targets, isDeclared: true }]
      : [];
  });
  const earlier = tables.slice(0, tables.indexOf(table));
  const compared = words.joined.flatMap(([a, b]) =>
    [[a, b] as const, [b, a] as const].flatMap(([own, theirs]): readonly Reference[] => {
      const column = table.columns.find(({ name }) => same(name, own))?.name;
      const target = earlier.find((other) => other.columns.some(({ name }) => same(name, theirs)));
      const isFree =
        column && ![...whole, ...declared.map((each) => each.columns)].flat().includes(column);
      return isFree && target
        ? [{ columns: [column], table: target.name, targets: [theirs], isDeclared: false }]
        : [];
    }),
  );
  return {
    ...{
      name: table.name,
      checks: table.checks,
      columns,
      keys: [...whole, ...(table.unique ?? [])],
    },
    references: [...compared, ...declared],
    rows: cells.map((_, at) => new Map(columns.map(({ name, all }) => [name, all[at] ?? null]))),
  };
}

const day = /^\d{4}-\d\d-\d\d$/;
const number = /INT|DECIMAL|NUMERIC|DOUBLE|FLOAT|REAL/i;
const kinds: readonly (readonly [Kind, RegExp, type: RegExp])[] = [
  ['int', /^-?\d+$/, /INT/i],
  ['real', /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i, number],
  ['day', day, /^DATE$/i],
  ['time', /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d/, /^(?:TIMESTAMP|DATETIME)/i],
  ['text', /\p{L}/u, /CHAR|TEXT|^$/i],
];

/** By the values, and by the type where there are none. */
function kindOf(values: readonly string[], type: string): Kind {
  const found = kinds.find(([, pattern, types]) =>
    values.length === 0 ? types.test(type) : values.every((value) => pattern.test(value)),
  )?.[0];
  if (/\[|STRUCT|MAP|BLOB|ENUM|UUID|JSON|BOOL/i.test(type)) return 'others';
  return found ?? (values.some((value) => /\p{L}/u.test(value)) ? 'text' : 'others');
}

const dayMs = 86_400_000;
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The constant of a statement and what lies beside it, as values of a column. @param some - value that the column has */
function edgesOf(constant: string, kind: Kind, some = ' 00:00:00'): readonly string[] {
  const number = Number(constant);
  switch (kind) {
    case 'int':
    case 'real':
      if (constant.trim() === '' || Math.abs(number) > 1e15 || Number.isNaN(number)) return [];
      return kind === 'int'
        ? [Math.ceil(number) - 1, Math.floor(number), Math.floor(number) + 1].map(String)
        : [number - 1, number - 0.25, number, number + 0.25, number + 1].map(String);
    case 'day':
      return daysBeside(constant);
    case 'time':
      return daysBeside(constant).map((each) => `${each}${some.slice(10)}`);
    case 'text': {
      // Of a pattern of LIKE, what it stands for.
      const bare = constant.replaceAll('%', '').replaceAll('_', 'x');
      const capital = bare.slice(0, 1).toUpperCase() + bare.slice(1).toLowerCase();
      return [
        bare,
        bare.toLowerCase(),
        bare.toUpperCase(),
        capital,
        `x${bare}`,
        `${bare}x`,
        `x${bare}x`,
      ];
    }
    case 'others':
      return [];
  }
}

/** Of a date, a month or a year: its first and last day, and those before and behind. */
function daysBeside(constant: string): readonly string[] {
  const [, year, month, date] =
    /^([12]\d{3})(?:-(\d\d))?(?:-(\d\d))?(?:%|[ T].*)?$/.exec(constant) ?? [];
  if (year === undefined) return [];
  const at = (by: number): number => {
    if (month === undefined) return Date.UTC(Number(year) + by, 0);
    const place = Number(month) - 1;
    return date === undefined
      ? Date.UTC(Number(year), place + by)
      : Date.UTC(Number(year), place, Number(date) + by);
  };
  return [...new Set([at(0) - dayMs, at(0), at(1) - dayMs, at(1)].map(dayOf))];
}

/** Another value, a different one for each number; null where none can be made. */
export function otherValue({ kind, values }: CopiedColumn, by: number): Value {
  const [some] = values;
  switch (kind) {
    case 'int':
    case 'real':
      return String(Math.max(0, ...values.map(Number)) + by);
    case 'day':
    case 'time':
      return `${dayOf(Date.parse((some ?? '2024-01-01').slice(0, 10)) + by * dayMs)}${kind === 'day' ? '' : (some ?? ' 00:00:00').slice(10)}`;
    case 'text':
      return `${some ?? 'x'}${by}`;
    case 'others':
      return null;
  }
}

/** What statements say about columns, read from their words, whatever the dialect. Names are in small letters. */
interface StatementWords {
  /** All names, of whatever. */
  readonly names: ReadonlySet<string>;
  /** The numbers and texts that stand behind the name of a column. */
  readonly constants: ReadonlyMap<string, ReadonlySet<string>>;
  /** Small whole numbers: how many rows a group may need. */
  readonly counts: readonly number[];
  /** Names of columns that are compared with each other. */
  readonly joined: readonly (readonly [string, string])[];
}

const words =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[\p{L}_][^\]]*\]|(?:(?<![\p{L}\p{N}_)]\s*)-)?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[\p{L}_][\p{L}\p{N}_$]*|[^\s]/giu;

const unquoted = (word: string): string => word.replace(/^["'`[]|["'`\]]$/g, '');

/** @param columns - the names of all columns, in small letters */
export function statementWords(
  statements: readonly string[],
  columns: ReadonlySet<string>,
): StatementWords {
  const [names, counts] = [new Set<string>(), new Set<number>()];
  const constants = new Map<string, Set<string>>();
  const joined: [string, string][] = [];
  for (const sql of statements) {
    const all = [...sql.matchAll(words)]
      .map(([word]) => word)
      .filter((word) => !/^(?:--|\/\*)/.test(word));
    /** The columns for which other names stand. */
    const aliases = new Map<string, string>();
    const columnAt = (at: number): string | undefined => {
      const word = all[at] ?? '';
      // `DATE '2024-01-01'`
      if (word.startsWith("'") || all[at + 1]?.startsWith("'")) return undefined;
      const name = unquoted(word).toLowerCase();
      return columns.has(name) ? name : aliases.get(name);
    };
    // Before the first column stands what is compared with it, or shown.
    let last = all.map((_, at) => columnAt(at)).find((name) => name !== undefined);
    for (const [at, word] of all.entries()) {
      const name = unquoted(word).toLowerCase();
      if (all[at - 1]?.toLowerCase() === 'as' && last && !columns.has(name))
        aliases.set(name, last);
      const column = columnAt(at);
      if (column !== undefined || /^[\p{L}_]/u.test(word)) {
        names.add(name);
        last = column ?? last;
      } else if (word === '=') {
        const [left, right] = [columnAt(at - 1), columnAt(all[at + 2] === '.' ? at + 3 : at + 1)];
        if (left && right) joined.push([left, right]);
      } else if (/^['"\d-]./.test(word) || /^\d/.test(word)) {
        if (/^["`]/.test(word)) names.add(name);
        if (/^[1-8]$/.test(word)) counts.add(Number(word));
        const own = constants.get(last ?? '') ?? new Set();
        constants.set(last ?? '', own.add(unquoted(word).replaceAll("''", "'")));
      } else names.add(name);
    }
  }
  return { names, constants, counts: [...counts], joined };
}
