import { upstreamsOf } from '../../../domain/agent/who-answered.js';
import { onScale, scaleOf, type Scale } from '../../../domain/scoring/scale.js';
import type { Score } from '../../../domain/scoring/score.js';
import type { RunAnswer } from '../../../domain/scoring/answer.js';
import { answersIn, type RunFiles } from '../../runs/scoring/run-scores.js';

const formula = /^[=+\-@\t\r]/;
const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?%?$/i;

/**
 * A text as a spreadsheet cell. A text that a spreadsheet would execute as a formula gets a leading apostrophe, because
 * models and datasets are not trusted. A plain number such as `-5` is left unchanged.
 */
export const spreadsheetCell = (text: string): string =>
  formula.test(text) && !number.test(text) ? `'${text}` : text;

type ColumnType = 'VARCHAR' | 'VARCHAR[]' | 'INTEGER' | 'BIGINT' | 'DOUBLE' | 'TIMESTAMPTZ';
type Cell = string | number | readonly string[] | null;
type ColumnOf = readonly [
  ColumnType,
  (of: RunAnswer & Pick<RunFiles, 'manifest'>) => Cell | undefined,
];

/** The columns of results joined with scores: the DuckDB type and the cell of each. Without one it is null. */
const columns = {
  run: ['VARCHAR', ({ manifest }) => manifest.run],
  method: ['VARCHAR', ({ manifest }) => manifest.config.method],
  model: ['VARCHAR', ({ manifest, result }) => result?.model ?? manifest.config.model.name],
  uuid: ['VARCHAR', ({ item }) => item.uuid],
  epoch: ['INTEGER', ({ epoch }) => epoch],
  question: ['VARCHAR', ({ item }) => item.question],
  tags: ['VARCHAR[]', ({ item }) => item.tags],
  /** This and all later columns are null if the question has not ended. */
  outcome: ['VARCHAR', ({ result }) => result?.outcome.kind],
  answer: ['VARCHAR', ({ result }) => result?.answer],
  /** From 0 to 1. Null for a question with grades. */
  score: ['DOUBLE', ({ score }) => scoreOn('unit', score)],
  /** From 1 to 5, of a question with a long reference answer of many valid ones; its own column, so that no mean covers both. */
  match_score: ['DOUBLE', ({ score }) => scoreOn('one-to-five', score)],
  verdict: ['VARCHAR', ({ score }) => score?.verdict.kind],
  unscored_reason: [
    'VARCHAR',
    ({ score }) => (score?.verdict.kind === 'unscored' ? score.verdict.reason : null),
  ],
  scorer: ['VARCHAR', ({ score }) => score?.scorer],
  turns: ['INTEGER', ({ result }) => result?.turns],
  prompt_tokens: ['BIGINT', ({ result }) => result?.usage.promptTokens],
  completion_tokens: ['BIGINT', ({ result }) => result?.usage.completionTokens],
  cached_tokens: ['BIGINT', ({ result }) => result?.usage.cachedTokens],
  cache_written_tokens: ['BIGINT', ({ result }) => result?.usage.cacheWrittenTokens],
  reasoning_tokens: ['BIGINT', ({ result }) => result?.usage.reasoningTokens],
  calls: ['INTEGER', ({ result }) => result?.usage.calls],
  retries: ['INTEGER', ({ result }) => result?.usage.retries],
  cache_hits: ['INTEGER', ({ result }) => result?.usage.cacheHits],
  cost_usd: ['DOUBLE', ({ result }) => result?.costUsd],
  /** The cost of judge calls, which no other column includes. */
  judge_cost_usd: ['DOUBLE', ({ score }) => score?.judgeCostUsd],
  started_at: ['TIMESTAMPTZ', ({ result }) => result?.startedAt],
  ended_at: ['TIMESTAMPTZ', ({ result }) => result?.endedAt],
  /** The models that replied, with their upstreams: `m by Together`. */
  answered_by: ['VARCHAR[]', ({ result }) => result && upstreamsOf(result.answeredBy ?? [])],
  trajectory: ['VARCHAR', ({ result }) => result?.trajectory],
} as const satisfies Readonly<Record<string, ColumnOf>>;

type InColumns<T> = Readonly<Record<keyof typeof columns, T>>;
type ResultRow = InColumns<Cell>;

// The keys are those of `columns`.
const inColumns = <T>(of: (column: ColumnOf) => T): InColumns<T> =>
  Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, of(column)]),
  ) as InColumns<T>;

/** The DuckDB type of each column. */
export const resultColumns = inColumns(([type]) => type);

const asText: Partial<Record<ColumnType, string>> = { 'VARCHAR[]': 'JSON', TIMESTAMPTZ: 'VARCHAR' };

/** The same columns for a text file: lists as JSON, times as in the run's files. */
export const textColumns = inColumns<string>(([type]) => asText[type] ?? type);

/** A row for every question in every epoch, in the run's order: the whole dataset, then the next epoch. */
export const resultRows = (files: RunFiles): readonly ResultRow[] =>
  answersIn(files).map((answer) =>
    inColumns(([, cellOf]) => cellOf({ ...answer, manifest: files.manifest }) ?? null),
  );

/** A row whose texts are safe for a spreadsheet. */
export const spreadsheetRow = (row: ResultRow): ResultRow =>
  // The keys stay the same.
  Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [
      name,
      typeof cell === 'string' ? spreadsheetCell(cell) : cell,
    ]),
  ) as ResultRow;

/** Null if the score is of another scale. */
function scoreOn(scale: Scale, found: Score | null): number | null {
  if (found === null || found.score === null || scaleOf(found.scorer) !== scale) return null;
  return onScale(found.score, scale);
}
