import { z } from 'zod';
import { parseErrorKind } from '../actions/parse-error-kind.js';
import { countsOf } from '../statistics/counts-of.js';
import { latenciesOf, latenciesSchema } from './latencies.js';
import type { FinishedTurn } from './conversation.js';

const countSchema = z.int().nonnegative();
const countsSchema = z.record(z.string(), countSchema);

/** What a question's turns say about its tools: a part of its line in `results.jsonl`. */
export const toolStatsSchema = z.object({
  /** By class, e.g. `binder`, `timeout`. */
  sqlErrors: countsSchema,
  searchErrors: countsSchema,
  imageErrors: countsSchema,
  calculationErrors: countsSchema,
  /** Statements and searches that found nothing. */
  emptyResults: countSchema,
  /** Statements and searches that were made in an earlier turn already, word for word. */
  repeatedQueries: countSchema,
  /** Results of which the model was shown a part only. */
  rowsCut: countSchema,
  sqlMs: latenciesSchema.nullable(),
  searchMs: latenciesSchema.nullable(),
  /** Of a statement or search; null where none found anything. */
  firstNonEmptyTurn: z.int().positive().nullable(),
  /** Replies that could not be read, by kind. */
  parseErrors: countsSchema,
});
export type ToolStats = Readonly<z.infer<typeof toolStatsSchema>>;

type Turn = Pick<FinishedTurn, 'reply' | 'facts'>;
type Tool = NonNullable<Turn['facts']>['tool'];

export function toolStatsOf(turns: readonly Turn[]): ToolStats {
  const queries = turns.filter(({ facts }) => facts?.tool === 'sql' || facts?.tool === 'search');
  const outcomes = queries.flatMap(({ facts }) => facts?.outcome ?? []);
  return {
    sqlErrors: errorsOf('sql'),
    searchErrors: errorsOf('search'),
    imageErrors: errorsOf('image'),
    calculationErrors: errorsOf('calculation'),
    emptyResults: outcomes.filter(({ kind }) => kind === 'empty').length,
    repeatedQueries: queries.length - new Set(queries.map(actionText)).size,
    rowsCut: outcomes.filter((outcome) => outcome.kind === 'found' && outcome.cut).length,
    sqlMs: latenciesOf(timesOf('sql')),
    searchMs: latenciesOf(timesOf('search')),
    firstNonEmptyTurn:
      queries.find(({ facts }) => facts?.outcome.kind === 'found')?.reply.turn ?? null,
    parseErrors: counted(
      turns.flatMap(({ reply: { reading } }) =>
        reading.kind === 'error' ? [parseErrorKind(reading.error)] : [],
      ),
    ),
  };

  function errorsOf(tool: Tool): ToolStats['sqlErrors'] {
    return counted(
      turns.flatMap(({ facts }) =>
        facts?.tool === tool && facts.outcome.kind === 'failed' ? [facts.outcome.class] : [],
      ),
    );
  }

  function timesOf(tool: Tool): readonly number[] {
    return turns.flatMap(({ facts }) => (facts?.tool === tool ? (facts.ms ?? []) : []));
  }
}

const actionText = ({ reply: { reading } }: Turn): string =>
  reading.kind === 'action' ? JSON.stringify(reading.action) : '';

const counted = (names: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(countsOf(names));
