import type { Result } from '../../../domain/agent/question-result.js';
import { upstreamsOf } from '../../../domain/agent/who-answered.js';
import { onScale, scaleOf, type Scale } from '../../../domain/scoring/scale.js';
import type { Score } from '../../../domain/scoring/score.js';
import { answersIn, type RunFiles } from '../../runs/scoring/run-scores.js';

const formula = /^[=+\-@\t\r]/;
const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?%?$/i;

/**
 * A text as a spreadsheet cell. A text that a spreadsheet would execute as a formula gets a leading apostrophe, because
 * models and datasets are not trusted. A plain number such as `-5` is left unchanged.
 */
export const spreadsheetCell = (text: string): string =>
  formula.test(text) && !number.test(text) ? `'${text}` : text;

/** The columns of results joined with scores, with their DuckDB types. */
export const resultColumns = {
  run: 'VARCHAR',
  method: 'VARCHAR',
  model: 'VARCHAR',
  uuid: 'VARCHAR',
  epoch: 'INTEGER',
  question: 'VARCHAR',
  tags: 'VARCHAR[]',
  /** This and all later columns are null if the question has not ended. */
  outcome: 'VARCHAR',
  answer: 'VARCHAR',
  /** From 0 to 1. Null for a question with grades. */
  score: 'DOUBLE',
  /** From 1 to 5, of a question with a long reference answer of many valid ones; its own column, so that no mean covers both. */
  match_score: 'DOUBLE',
  verdict: 'VARCHAR',
  unscored_reason: 'VARCHAR',
  scorer: 'VARCHAR',
  turns: 'INTEGER',
  prompt_tokens: 'BIGINT',
  completion_tokens: 'BIGINT',
  cached_tokens: 'BIGINT',
  cache_written_tokens: 'BIGINT',
  reasoning_tokens: 'BIGINT',
  calls: 'INTEGER',
  retries: 'INTEGER',
  cache_hits: 'INTEGER',
  cost_usd: 'DOUBLE',
  /** The cost of judge calls, which no other column includes. */
  judge_cost_usd: 'DOUBLE',
  started_at: 'TIMESTAMPTZ',
  ended_at: 'TIMESTAMPTZ',
  /** The models that replied, with their upstreams: `m by Together`. */
  answered_by: 'VARCHAR[]',
  trajectory: 'VARCHAR',
} as const;

type Column = keyof typeof resultColumns;
type ColumnType = (typeof resultColumns)[Column];
type Cell = string | number | readonly string[] | null;
export type ResultRow = Readonly<Record<Column, Cell>>;

const asText: Readonly<Record<ColumnType, string>> = {
  VARCHAR: 'VARCHAR',
  'VARCHAR[]': 'JSON',
  INTEGER: 'INTEGER',
  BIGINT: 'BIGINT',
  DOUBLE: 'DOUBLE',
  TIMESTAMPTZ: 'VARCHAR',
};

/** The same columns for a text file: lists as JSON, times as in the run's files. */
export const textColumns: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(resultColumns).map(([name, type]) => [name, asText[type]]),
);

/** A row for every question in every epoch, in the run's order: the whole dataset, then the next epoch. */
export function resultRows(files: RunFiles): readonly ResultRow[] {
  const { run, config } = files.manifest;
  return answersIn(files).map(({ item, epoch, result, score }) => ({
    run,
    method: config.method,
    model: result?.model ?? config.model.name,
    uuid: item.uuid,
    epoch,
    question: item.question,
    tags: item.tags,
    ...endCells(result),
    ...scoreCells(score),
  }));
}

/** A row whose texts are safe for a spreadsheet. */
export const spreadsheetRow = (row: ResultRow): ResultRow =>
  // The keys stay the same.
  Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [
      name,
      typeof cell === 'string' ? spreadsheetCell(cell) : cell,
    ]),
  ) as ResultRow;

const endCells = (result: Result | null) => ({
  outcome: result?.outcome.kind ?? null,
  answer: result?.answer ?? null,
  turns: result?.turns ?? null,
  prompt_tokens: result?.usage.promptTokens ?? null,
  completion_tokens: result?.usage.completionTokens ?? null,
  cached_tokens: result?.usage.cachedTokens ?? null,
  cache_written_tokens: result?.usage.cacheWrittenTokens ?? null,
  reasoning_tokens: result?.usage.reasoningTokens ?? null,
  calls: result?.usage.calls ?? null,
  retries: result?.usage.retries ?? null,
  cache_hits: result?.usage.cacheHits ?? null,
  cost_usd: result?.costUsd ?? null,
  started_at: result?.startedAt ?? null,
  ended_at: result?.endedAt ?? null,
  answered_by: result === null ? null : upstreamsOf(result.answeredBy ?? []),
  trajectory: result?.trajectory ?? null,
});

const scoreCells = (score: Score | null) => ({
  score: scoreOn('unit', score),
  match_score: scoreOn('one-to-five', score),
  verdict: score?.verdict.kind ?? null,
  unscored_reason: score?.verdict.kind === 'unscored' ? score.verdict.reason : null,
  scorer: score?.scorer ?? null,
  judge_cost_usd: score?.judgeCostUsd ?? null,
});

/** Null if the score is of another scale. */
const scoreOn = (scale: Scale, found: Score | null): number | null =>
  found === null || found.score === null || scaleOf(found.scorer) !== scale
    ? null
    : onScale(found.score, scale);
