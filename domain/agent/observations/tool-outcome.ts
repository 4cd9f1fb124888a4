import { z } from 'zod';

/** The outcome of a tool call, as run statistics count it. */
const toolOutcomeSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('found'),
    shown: z.int().positive(),
    /** Whether the model saw only a part of the result. */
    cut: z.boolean(),
    /** The id of the paper of each hit of a search that is shown. Absent for other tools. */
    papers: z.array(z.string()).readonly().optional(),
  }),
  z.object({ kind: z.literal('empty') }),
  /** `class` names the kind of failure, e.g. `binder`, `timeout` or `filter`. */
  z.object({ kind: z.literal('failed'), class: z.string().min(1) }),
]);
export type ToolOutcome = Readonly<z.infer<typeof toolOutcomeSchema>>;

export const toolFactsSchema = z.object({
  tool: z.enum(['sql', 'search', 'calculation', 'image', 'graph', 'plugin']),
  outcome: toolOutcomeSchema,
  /** Milliseconds of the tool call itself, to a tenth; null when no call was made. */
  ms: z.number().nonnegative().nullable(),
  /** US dollars, for a tool that costs money; null when the amount is unknown. */
  costUsd: z.number().nonnegative().nullable().optional(),
});
export type ToolFacts = Readonly<z.infer<typeof toolFactsSchema>>;

/** The result of an action: the text for the model and the outcome for statistics. */
export interface Observed {
  readonly content: string;
  readonly outcome: ToolOutcome;
}

export const failed = (failure: string, content: string): Observed => ({
  content,
  outcome: { kind: 'failed', class: failure },
});

/** An action whose arguments cannot be used. */
export interface Refused {
  readonly kind: 'refused';
  readonly observed: Observed;
}

export const refused = (failure: string, message: string): Refused => ({
  kind: 'refused',
  observed: failed(failure, `[Error]: ${message}`),
});

/** A database value as JSON. Integers above 2^53, and decimals that would lose digits, are strings. */
export type Cell =
  null | boolean | number | string | readonly Cell[] | { readonly [key: string]: Cell };

export interface Column {
  readonly name: string;
  /**
   * DuckDB's own name of the type, e.g. `VARCHAR`, `BIGINT`, `VARCHAR[]`. Of a result of SQLite the type of all values, one of
   * `sqliteTypes`, or `ANY`.
   */
  readonly type: string;
  /** Where the values have several types in SQLite: a letter of `sqliteTypes` for each row. */
  readonly rowTypes?: string | undefined;
}

/** The types of values in SQLite. */
export const sqliteTypes = { i: 'INTEGER', r: 'REAL', t: 'TEXT', b: 'BLOB', n: 'NULL' } as const;
export type SqliteType = keyof typeof sqliteTypes;

/** The type of the value that a column has in a row. */
export const typeInRow = ({ type, rowTypes }: Column, row: number): string =>
  (rowTypes && sqliteTypes[rowTypes[row] as SqliteType]) ?? type;

/** The rows of one statement, up to the row and token limits of the query. */
export interface TableResult {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** Whether the statement had more rows than `rows` holds. */
  readonly more: boolean;
}
