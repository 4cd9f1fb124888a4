import { z } from 'zod';
import { failureNameSchema, isFailureType } from '../failure-type.js';
import { questionIdSchema } from '../ids.js';
import { failedAttemptsSchema } from '../models/call-attempts.js';
import { servedBySchema } from '../models/chat-message.js';
import { usageSchema } from '../models/usage.js';
import { latenciesOf, latenciesSchema, countsOf } from '../statistics/means.js';
import { parseErrorKind } from './actions/parse-error.js';
import { ungroundedValues } from './grounding.js';
import type { FinishedTurn, ReplyRecord, ModelTurn, OddReply } from './turn-record.js';

/** Where the time of a question went, in milliseconds: a part of its line in `results.jsonl`. */
const questionTimesSchema = z.object({
  /** From its start to its end, judges included. */
  durationMs: z.number().nonnegative(),
  /** Of each model call, from the request that was answered to its reply. Null without one. */
  modelMs: latenciesSchema.nullable(),
  /**
   * Between its start and its last turn's end, neither a model nor a tool worked: the rate limiter, the budget, attempts that
   * failed with the pauses after them, outages, `pause`, workers that were busy.
   */
  waitedMs: z.number().nonnegative(),
});
type QuestionTimes = Readonly<z.infer<typeof questionTimesSchema>>;

interface Asked {
  readonly turns: readonly FinishedTurn[];
  readonly startedAt: string;
  readonly endedAt: string;
  /** Whether its last turn ended it. If not, it waited until its end. */
  readonly answered: boolean;
}

export function questionTimesOf({ turns, startedAt, endedAt, answered }: Asked): QuestionTimes {
  const calls = turns
    .map(({ reply }) => reply)
    .filter(({ model, cacheHit }) => model !== null && !cacheHit);
  const model = calls.map((reply) => workedMs(reply));
  const tools = turns.map(({ facts }) => facts?.ms ?? 0);
  const last = turns.at(-1)?.reply.endedAt;
  const until =
    answered && last !== undefined
      ? between(startedAt, last) + (tools.at(-1) ?? 0)
      : between(startedAt, endedAt);
  return {
    durationMs: between(startedAt, endedAt),
    modelMs: latenciesOf(model),
    waitedMs: Math.max(0, Math.round(until - sum(model) - sum(tools))),
  };
}

const workedMs = ({ startedAt, endedAt, waitedMs = 0 }: FinishedTurn['reply']): number =>
  Math.max(0, between(startedAt, endedAt) - waitedMs);

const between = (from: string, to: string): number =>
  Math.max(0, Date.parse(to) - Date.parse(from));

const sum = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);

/** Who gave some replies, as far as providers tell. */
const answererSchema = servedBySchema.extend({
  /** The model's name in the provider's replies. */
  model: z.string(),
  replies: z.int().positive(),
});
export type Answerer = Readonly<z.infer<typeof answererSchema>>;

/** Those who gave the replies of a question, in the order of their first reply. Replies of a cache count for who gave them first. */
export const answerersOf = (
  replies: readonly Pick<ReplyRecord, 'model' | 'servedBy'>[],
): readonly Answerer[] =>
  addedAnswerers(
    replies.flatMap(({ model, servedBy }) =>
      model === null ? [] : [{ model, ...servedBy, replies: 1 }],
    ),
  );

/** Adds up the replies of those who are the same in all fields. */
export function addedAnswerers(answerers: readonly Answerer[]): readonly Answerer[] {
  const sums = new Map<string, Answerer>();
  for (const each of answerers) {
    const key = keyOf(each);
    sums.set(key, { ...each, replies: each.replies + (sums.get(key)?.replies ?? 0) });
  }
  return [...sums.values()];
}

const keyOf = ({ model, provider, systemFingerprint, serviceTier }: Answerer): string =>
  JSON.stringify([model, provider, systemFingerprint, serviceTier]);

/** The model and its upstream: `m by Together`. Fingerprints and tiers change too often to tell models apart. */
const upstreamOf = ({ model, provider }: Omit<Answerer, 'replies'>): string =>
  provider === undefined ? model : `${model} by ${provider}`;

/** Each once. */
export const upstreamsOf = (answerers: readonly Answerer[]): readonly string[] => [
  ...new Set(answerers.map(upstreamOf)),
];

/** Says that several models or upstreams answered, or that their configuration changed. Null where neither is so. */
export function answererText(answerers: readonly Answerer[]): string | null {
  const upstreams = upstreamsOf(answerers);
  if (upstreams.length > 1) {
    const counts = upstreams.map((name) => {
      const own = answerers.filter((each) => upstreamOf(each) === name);
      return `${name} (${own.reduce((sum, { replies }) => sum + replies, 0)} replies)`;
    });
    return `Answered by ${upstreams.length} different upstreams: ${counts.join(', ')}. Their scores may differ.`;
  }
  const fingerprints = new Set(
    answerers.flatMap(({ systemFingerprint }) => systemFingerprint ?? []),
  );
  return fingerprints.size > 1
    ? `The provider reported ${fingerprints.size} system fingerprints while the run was answered.`
    : null;
}

/** The only upstream of some replies, or that there were several. Null without replies. */
export function onlyUpstream(answerers: readonly Answerer[]): string | null {
  const [first, ...others] = upstreamsOf(answerers);
  return first === undefined ? null : others.length > 0 ? 'several' : first;
}

/** How a question ended. */
export const outcomeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('answered') }),
  /** The model ended the question with an empty answer. */
  z.object({ kind: z.literal('abstained') }),
  /** The model declined, or a filter of the provider removed what it was asked or wrote: a wrong answer. */
  z.object({
    kind: z.literal('refused'),
    by: z.enum(['model', 'filter']),
    /** Of the model or the provider, shortened. */
    message: z.string(),
  }),
  z.object({ kind: z.literal('turn-limit'), maxTurns: z.int().positive() }),
  /** No reply of the question could be parsed. */
  z.object({ kind: z.literal('unparseable'), lastError: z.string() }),
  z.object({ kind: z.literal('budget-stop') }),
  z.object({ kind: z.literal('deadline') }),
  z.object({ kind: z.literal('context-overflow'), message: z.string() }),
  z.object({ kind: z.literal('cancelled') }),
  /** A failure outside the model and the question. It is never scored as 0. */
  z.object({
    kind: z.literal('infra-error'),
    failure: failureNameSchema,
    message: z.string(),
    /** Attempts at its last call, all failed. Absent where no call of a model failed. */
    attempts: z.int().positive().optional(),
    failures: failedAttemptsSchema.optional(),
  }),
]);
export type Outcome = Readonly<z.infer<typeof outcomeSchema>>;
export type OutcomeKind = Outcome['kind'];

export const outcomeKinds = [
  'answered',
  'abstained',
  'refused',
  'turn-limit',
  'unparseable',
  'budget-stop',
  'deadline',
  'context-overflow',
  'cancelled',
  'infra-error',
] as const satisfies readonly OutcomeKind[];

/** Whether the model ended the question itself, so that there is an answer to be scored. */
export const isAnswer: Readonly<Record<OutcomeKind, boolean>> = {
  answered: true,
  abstained: true,
  // There is nothing to compare: it is wrong.
  refused: false,
  'turn-limit': false,
  unparseable: false,
  'budget-stop': false,
  deadline: false,
  'context-overflow': false,
  cancelled: false,
  'infra-error': false,
};

/** Whether the reason of the end lies outside the model: exit status 1, and `turnwise retry` asks the question again. */
export const endedForOutsideReasons: Readonly<Record<OutcomeKind, boolean>> = {
  answered: false,
  abstained: false,
  refused: false,
  'turn-limit': false,
  unparseable: false,
  'budget-stop': true,
  deadline: true,
  'context-overflow': false,
  cancelled: true,
  'infra-error': true,
};

/** Odd replies of one kind in a row that end a question: one more try may help, but not against a refusal of the model. */
const oddRepliesToEnd: Readonly<Record<OddReply, number>> = {
  refused: 1,
  filtered: 2,
  empty: 2,
  error: 2,
  // It is told to reason more briefly, which takes some models two tries.
  'cut-off': 3,
};

/** The outcome of a question whose latest replies leave no hope for the next one; null for others. */
export function outcomeOfOddReplies(turns: readonly ModelTurn[]): Outcome | null {
  const last = turns.at(-1);
  if (last?.kind !== 'unparseable' || last.odd === undefined) return null;
  const { odd } = last;
  const others = turns.findLastIndex((turn) => turn.kind !== 'unparseable' || turn.odd !== odd);
  return turns.length - 1 - others < oddRepliesToEnd[odd] ? null : outcomeOfUnreadable(last);
}

function outcomeOfUnreadable({
  odd,
  error,
  said = error,
}: Extract<ModelTurn, { readonly kind: 'unparseable' }>): Outcome {
  if (odd === 'refused') return { kind: 'refused', by: 'model', message: said };
  if (odd === 'filtered') return { kind: 'refused', by: 'filter', message: error };
  return { kind: 'unparseable', lastError: error };
}

/** The outcome of a question that used all its turns without an answer. */
export function outcomeAtTurnLimit(turns: readonly ModelTurn[]): Outcome {
  const last = turns.at(-1);
  return last?.kind === 'unparseable' && turns.every((turn) => turn.kind === 'unparseable')
    ? outcomeOfUnreadable(last)
    : { kind: 'turn-limit', maxTurns: turns.length };
}

/** A model call whose attempts have all failed. */
export type FailedCall = Pick<Extract<Outcome, { kind: 'infra-error' }>, 'attempts' | 'failures'>;

/**
 * The outcome after an activity failed permanently.
 * @param type - the failure's type; absent for a timeout
 * @param call - null if no model call failed
 */
export function outcomeOfFailure(
  type: string | null | undefined,
  message: string,
  call: FailedCall | null = null,
): Outcome {
  if (type === 'ContextOverflow') return { kind: 'context-overflow', message };
  if (type === 'ModelModerated') return { kind: 'refused', by: 'filter', message };
  const failure = isFailureType(type) ? type : 'Unknown';
  return { kind: 'infra-error', failure, message, ...call };
}

const countSchema = z.int().nonnegative();
const countsSchema = z.record(z.string(), countSchema);

/** Statistics of a question's tool calls: a part of its line in `results.jsonl`. */
export const toolStatsSchema = z.object({
  /** Number of errors by class, e.g. `binder` or `timeout`. */
  sqlErrors: countsSchema,
  searchErrors: countsSchema,
  imageErrors: countsSchema,
  calculationErrors: countsSchema,
  /** Statements and searches that found nothing. */
  emptyResults: countSchema,
  /** Statements and searches that repeat an earlier turn word for word. */
  repeatedQueries: countSchema,
  /** Results that the model saw only in part. */
  rowsCut: countSchema,
  sqlMs: latenciesSchema.nullable(),
  searchMs: latenciesSchema.nullable(),
  /** The first turn whose statement or search found something; null when none did. */
  firstNonEmptyTurn: z.int().positive().nullable(),
  /** Replies that could not be parsed, by kind of error. */
  parseErrors: countsSchema,
  /** The hits of searches, and those in other papers than the question's. Absent without hits, or without such papers. */
  hits: z.object({ all: countSchema, outside: countSchema }).optional(),
  /** The first turn that failed, or whose statement or search repeats an earlier one. Absent if none. */
  firstFaultyTurn: z.int().positive().optional(),
  /** Values of the answer that no observation shows. Absent where nothing tells, empty where all are shown. */
  ungrounded: z.array(z.string()).readonly().optional(),
  /** Whether the reply with the answer was cut off at the most tokens of a reply. Absent if not. */
  answerCutOff: z.literal(true).optional(),
});
export type ToolStats = Readonly<z.infer<typeof toolStatsSchema>>;

type Turn = Pick<FinishedTurn, 'reply' | 'observation' | 'ofCalls' | 'facts'>;
type Tool = NonNullable<Turn['facts']>['tool'];

/**
 * @param papers - the ids of those that the question is about
 * @param hasContext - whether the model answered from what is in none of its turns, as methods of a single call do
 */
export function toolStatsOf(
  turns: readonly Turn[],
  papers: readonly string[] = [],
  hasContext = false,
): ToolStats {
  const queries = turns.filter(({ facts }) => facts?.tool === 'sql' || facts?.tool === 'search');
  const ungrounded = hasContext ? null : ungroundedValues(turns);
  const outcomes = queries.flatMap(({ facts }) => facts?.outcome ?? []);
  const hits = outcomes.flatMap((outcome) => ('papers' in outcome && outcome.papers) || []);
  const outside = hits.filter((id) => !papers.includes(id)).length;
  const texts = queries.map(actionText);
  const repeats = queries.filter((turn, at) => texts.indexOf(actionText(turn)) < at);
  const faulty = turns.find(
    (turn) =>
      turn.reply.reading.kind === 'error' ||
      turn.facts?.outcome.kind === 'failed' ||
      repeats.includes(turn),
  );
  return {
    sqlErrors: errorsOf('sql'),
    searchErrors: errorsOf('search'),
    imageErrors: errorsOf('image'),
    calculationErrors: errorsOf('calculation'),
    emptyResults: outcomes.filter(({ kind }) => kind === 'empty').length,
    repeatedQueries: repeats.length,
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
    ...(hits.length > 0 && papers.length > 0 && { hits: { all: hits.length, outside } }),
    ...(faulty && { firstFaultyTurn: faulty.reply.turn }),
    ...(ungrounded && { ungrounded }),
    ...(answersWith(turns.at(-1)) === 'length' && { answerCutOff: true as const }),
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

/** Why the reply of the last turn ended, if it gave the answer and did not end by itself. */
const answersWith = (last: Turn | undefined): string | undefined =>
  last?.reply.reading.kind === 'error' ? undefined : last?.reply.finishReason;

const actionText = ({ reply: { reading } }: Turn): string =>
  reading.kind === 'error' ? '' : JSON.stringify(reading);

const counted = (names: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(countsOf(names));

/** A line of `results.jsonl`: how one question ended, in one epoch. */
export const resultSchema = z.object({
  uuid: questionIdSchema,
  epoch: z.int().min(1),
  /** Its first words; `dataset.jsonl` has all of them. */
  question: z.string(),
  tags: z.array(z.string()).readonly(),
  /** How often it was asked, which is once more for each retry. @defaultValue 1 */
  asking: z.int().min(1).optional(),
  /** The answer as the text of a Python value, as evaluators expect it; null when there is none. */
  answer: z.string().nullable(),
  outcome: outcomeSchema,
  turns: z.int().nonnegative(),
  usage: usageSchema,
  /** US dollars; null when the price of a call is unknown. Replies from the cache cost nothing. */
  costUsd: z.number().nonnegative().nullable(),
  /** The model's name in the last reply; null when there was no reply. */
  model: z.string().nullable(),
  /** Who gave the replies, in the order of their first reply. Absent when there was no reply. */
  answeredBy: z.array(answererSchema).min(1).readonly().optional(),
  startedAt: z.string(),
  endedAt: z.string(),
  times: questionTimesSchema,
  /** Path of the trajectory's file, relative to the run's folder. */
  trajectory: z.string(),
  tools: toolStatsSchema,
});
export type Result = Readonly<z.infer<typeof resultSchema>>;
