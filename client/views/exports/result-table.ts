import { usageCounts, type Usage } from '../../../domain/models/usage.js';
import { type Score } from '../../../domain/scoring/score.js';
import { onScale, scaleOf, type Scale } from '../../../domain/scoring/verdict.js';
import type { RecordedAnswer } from './recorded-question.js';

const formula = /^[=+\-@\t\r]/;
const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?%?$/i;

/**
 * A text as a spreadsheet cell. A text that a spreadsheet would execute as a formula gets a leading apostrophe, because
 * models and datasets are not trusted. A plain number such as `-5` is left unchanged.
 */
export const spreadsheetCell = (text: string): string =>
  formula.test(text) && !number.test(text) ? `'${text}` : text;

type ColumnType =
  'VARCHAR' | 'VARCHAR[]' | 'JSON' | 'INTEGER' | 'BIGINT' | 'DOUBLE' | 'TIMESTAMPTZ';
type Cell = string | number | object | null;
type ColumnOf = readonly [ColumnType, (of: RecordedAnswer) => Cell | undefined];

/** The columns of a question's result, joined with its score: the DuckDB type and the cell of each. Without one it is null. */
const columns: Readonly<Record<string, ColumnOf>> = {
  run: ['VARCHAR', ({ manifest }) => manifest.run],
  method: ['VARCHAR', ({ manifest }) => manifest.config.method],
  model: ['VARCHAR', ({ manifest, result }) => result?.model ?? manifest.config.model.name],
  uuid: ['VARCHAR', ({ item }) => item.uuid],
  epoch: ['INTEGER', ({ epoch }) => epoch],
  question: ['VARCHAR', ({ item }) => item.question],
  tags: ['VARCHAR[]', ({ item }) => item.tags],
  category: ['VARCHAR', ({ item }) => item.category],
  /** The question with all its fields, its evaluator and gold answer among them. */
  item: ['JSON', ({ item }) => item],
  /** The database that it is about: its tables, with rows and columns. */
  database: ['JSON', ({ tables }) => tables],
  /** This and all later columns are null if the question has not ended. */
  outcome: ['VARCHAR', ({ result }) => result?.outcome.kind],
  failure: ['VARCHAR', ({ result }) => detailOf(result?.outcome, 'failure')],
  /** What the failure, the refusal or the unreadable reply said. */
  outcome_message: [
    'VARCHAR',
    ({ result }) => detailOf(result?.outcome, 'message') ?? detailOf(result?.outcome, 'lastError'),
  ],
  /** The outcome with all its fields, such as `attempts`. */
  outcome_details: ['JSON', ({ result }) => result?.outcome],
  asking: ['INTEGER', ({ result }) => result && (result.asking ?? 1)],
  answer: ['VARCHAR', ({ result }) => result?.answer],
  /** From 0 to 1. Null for a question with grades. */
  score: ['DOUBLE', ({ score }) => scoreOn('unit', score)],
  /** From 1 to 5, of a question with a long reference answer of many valid ones; its own column, so that no mean covers both. */
  match_score: ['DOUBLE', ({ score }) => scoreOn('one-to-five', score)],
  /** On the scorer's own scale, if that is not 0 to 1. */
  raw_score: ['DOUBLE', ({ score }) => detailOf(score?.verdict, 'rawScore')],
  verdict: ['VARCHAR', ({ score }) => score?.verdict.kind],
  unscored_reason: ['VARCHAR', ({ score }) => detailOf(score?.verdict, 'reason')],
  verdict_message: ['VARCHAR', ({ score }) => detailOf(score?.verdict, 'message')],
  rationale: ['VARCHAR', ({ score }) => detailOf(score?.verdict, 'rationale')],
  scorer: ['VARCHAR', ({ score }) => score?.scorer],
  /** What a person has decided: `exclude`, `wrong` or `accept`. No other column follows it. */
  ruling: ['VARCHAR', ({ ruling }) => ruling?.decision],
  /** With who has, when and why. */
  ruling_details: ['JSON', ({ ruling }) => ruling],
  /** The judges, each with its verdict. */
  judging: ['JSON', ({ score }) => score?.judging],
  turns: ['INTEGER', ({ result }) => result?.turns],
  ...usageColumns('', ({ result }) => result?.usage),
  cost_usd: ['DOUBLE', ({ result }) => result?.costUsd],
  /** The usage and cost of judge calls, which no other column includes. */
  ...usageColumns('judge_', ({ score }) => score?.judgeUsage),
  judge_cost_usd: ['DOUBLE', ({ score }) => score?.judgeCostUsd],
  started_at: ['TIMESTAMPTZ', ({ result }) => result?.startedAt],
  ended_at: ['TIMESTAMPTZ', ({ result }) => result?.endedAt],
  /** The models that replied, with their upstreams and the number of replies. */
  answered_by: ['JSON', ({ result }) => result?.answeredBy],
  times: ['JSON', ({ result }) => result?.times],
  tools: ['JSON', ({ result }) => result?.tools],
  trajectory: ['VARCHAR', ({ result }) => result?.trajectory],
  /** Over a database: how the answer came about, what reviewers said of it, and what SQL returned. */
  trace: ['JSON', ({ trace }) => trace],
  panels: ['JSON', ({ panels }) => (panels.length === 0 ? null : panels)],
  execution: ['JSON', ({ execution }) => execution],
  notes: ['JSON', ({ notes }) => (notes.length === 0 ? null : notes)],
};

type FieldOf<T> = T extends unknown ? keyof T : never;

/** A field that only some members of a union have. */
function detailOf<T extends object>(of: T | undefined, field: FieldOf<T>): string | number | null {
  const value: unknown = of?.[field as keyof T];
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/** A column for each count of a usage: `promptTokens` is `prompt_tokens`. */
function usageColumns(
  prefix: string,
  usageOf: (of: RecordedAnswer) => Usage | undefined,
): Readonly<Record<string, ColumnOf>> {
  return Object.fromEntries(
    usageCounts.map((count): [string, ColumnOf] => [
      `${prefix}${count.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
      ['BIGINT', (of) => usageOf(of)?.[count]],
    ]),
  );
}

const inColumns = <T>(of: (column: ColumnOf) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, of(column)]));

/** The DuckDB type of each column. */
export const resultColumns = inColumns(([type]) => type);

const asText: Partial<Record<ColumnType, string>> = { 'VARCHAR[]': 'JSON', TIMESTAMPTZ: 'VARCHAR' };

/** The same columns for a text file: lists as JSON, times as in the run's files. */
export const textColumns = inColumns<string>(([type]) => asText[type] ?? type);

export const resultRow = (answer: RecordedAnswer): Readonly<Record<string, Cell>> =>
  inColumns(([, cellOf]) => cellOf(answer) ?? null);

/** A row whose texts are safe for a spreadsheet. */
export const spreadsheetRow = (row: Readonly<Record<string, Cell>>): typeof row =>
  Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [
      name,
      typeof cell === 'string' ? spreadsheetCell(cell) : cell,
    ]),
  );

/** Null if the score is of another scale. */
function scoreOn(scale: Scale, found: Score | null): number | null {
  if (found === null || found.score === null || scaleOf(found.scorer) !== scale) return null;
  return onScale(found.score, scale);
}
