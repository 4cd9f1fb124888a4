import { groupsOf } from '../../../domain/statistics/means.js';
import type { DatabaseTable, DescribedDatabase, Engine } from '../../../domain/stores/database.js';

/** A gold and an answer. */
export interface SqlPair {
  readonly template: string;
  readonly gold: string;
  readonly answer: string;
  readonly rule?: string;
}

/** A table of a database, and its columns by what they can be asked. */
interface Subject {
  readonly t: string;
  /** The primary key; null where it has several columns, or none. */
  readonly p: string | null;
  /** Numbers, texts and days that are no keys. */
  readonly numbers: readonly string[];
  readonly texts: readonly string[];
  readonly days: readonly string[];
  /** What may be NULL. */
  readonly nullable: readonly string[];
  /** Of one column: the column, the table, its key, and a text of that. */
  readonly parents: readonly {
    readonly f: string;
    readonly u: string;
    readonly k: string;
    readonly label: string | undefined;
    readonly nullable: boolean;
  }[];
}

/** The first column of the first row of a query; null where there is none. */
export type Ask = (sql: string) => Promise<unknown>;

const isKey = ({ primaryKey, foreignKeys }: DatabaseTable, name: string): boolean =>
  primaryKey.includes(name) || foreignKeys.some(({ columns }) => columns.includes(name));

function subjectOf(table: DatabaseTable, { tables }: DescribedDatabase): Subject {
  const free = table.columns.filter(({ name }) => !isKey(table, name) && !/_id$/.test(name));
  const named = (type: RegExp): readonly string[] =>
    free.filter((column) => type.test(column.type)).map(({ name }) => name);
  const textOf = (other: DatabaseTable | undefined): string | undefined =>
    other?.columns.find(({ name, type }) => /CHAR|TEXT/.test(type) && !isKey(other, name))?.name;
  return {
    t: table.name,
    p: table.primaryKey.length === 1 ? (table.primaryKey[0] ?? null) : null,
    numbers: named(/INT|DOUBLE|DECIMAL|REAL|FLOAT/),
    texts: named(/CHAR|TEXT/),
    days: named(/^DATE$/),
    nullable: free.filter(({ nullable }) => nullable).map(({ name }) => name),
    parents: table.foreignKeys.flatMap(({ columns: [f = '', ...more], table: u }) => {
      const other = tables.find(({ name }) => name === u);
      const [k, ...further] = other?.primaryKey ?? [];
      if (more.length > 0 || further.length > 0 || k === undefined) return [];
      const nullable = table.columns.find(({ name }) => name === f)?.nullable ?? true;
      return [{ f, u, k, label: textOf(other), nullable }];
    }),
  };
}

export const quote = (text: unknown): string => `'${String(text).replaceAll("'", "''")}'`;
export const isText = (value: unknown): value is string | number =>
  (typeof value === 'string' && value !== '') || typeof value === 'number';

export type Template = (subject: Subject, ask: Ask, engine: Engine) => Promise<readonly SqlPair[]>;
export const pair = (template: string, gold: string, answer: string, rule?: string): SqlPair => ({
  ...{ template, gold, answer },
  ...(rule !== undefined && { rule }),
});

/** The pairs of these templates for each table. @param ask - of the database */
export const pairsOf = async (
  templates: readonly Template[],
  database: DescribedDatabase,
  ask: Ask,
): Promise<readonly SqlPair[]> => {
  const pairs: SqlPair[] = [];
  for (const table of database.tables) {
    for (const template of templates) {
      pairs.push(...(await template(subjectOf(table, database), ask, database.engine ?? 'duckdb')));
    }
  }
  return pairs;
};

/** So many of the pairs, from all templates alike. */
export function fromAllTemplates<T extends { readonly template: string }>(
  pairs: readonly T[],
  count: number,
): readonly T[] {
  const groups = [...groupsOf(pairs, ({ template }) => template).values()];
  const taken: T[] = [];
  for (
    let round = 0;
    taken.length < count && groups.some((group) => group.length > round);
    round += 1
  ) {
    // Of each group one from another place, so that they come from all databases.
    for (const group of groups) {
      const item = group[(round * 7) % group.length];
      if (item && !taken.includes(item) && taken.length < count) taken.push(item);
    }
  }
  return taken;
}
