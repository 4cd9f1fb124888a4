import { z } from 'zod';
import { emptyLedger, ledgerSchema } from '../budget/ledger.js';
import { amountSchema } from '../budget/amount.js';
import { failureNameSchema } from '../failure-type.js';
import { isSameSample, sampleKeySchema, type SampleKey } from '../ids.js';
import { outcomeSchema } from '../agent/question-result.js';
import { sum } from '../statistics/means.js';
import { waitReasons } from './question-ref.js';
import {
  addEnded,
  noTotals,
  removeTotals,
  runTotalsSchema,
  type EndedQuestion,
  type RunTotals,
} from './run-totals.js';
import { joinedRanges, sampleRangeSchema, type SampleRange } from './sample-ranges.js';

/** A question in flight that waits for a limit, a budget, credit, a person, or the end of an outage. */
export const waitingQuestionSchema = sampleKeySchema.extend({
  reason: z.enum(waitReasons),
  message: z.string(),
  /** When the question tries again by itself, in milliseconds since 1970. Null if its run or a person wakes it. */
  until: z.number().nullable(),
  /** What its next call would reserve. Null if it waits neither for the budget nor for a batch. */
  need: amountSchema.nullable(),
  /** The batch that its call is in. Absent for none. */
  batch: z.int().optional(),
  /** What fails, in an outage; what ends the call, where deferrals of it count. Null for other reasons. */
  failure: failureNameSchema.nullable(),
});
export type WaitingQuestion = Readonly<z.infer<typeof waitingQuestionSchema>>;

/** Outcomes that may be of the run's set-up: no question fits the model's context, or the model writes no actions. */
const setUpOutcomes = ['context-overflow', 'unparseable'] as const;

/** The newest failures of questions that ended. */
export const failedInRowSchema = z.object({
  failure: failureNameSchema,
  message: z.string(),
  count: z.int().positive(),
  /** Of all questions so far. Absent for `infra-error`. */
  outcome: z.enum(setUpOutcomes).optional(),
});

/** What a webhook is told of a run that has not ended. */
const toldEvents = ['waiting', 'held', 'budget-reached'] as const;
export type ToldEvent = (typeof toldEvents)[number];

/** The state of a run's workflow, also across continue-as-new. It grows with the number of questions in flight, not of samples. */
export const runStateSchema = z.object({
  /** Questions times epochs. */
  samples: z.int().nonnegative(),
  /** All samples before this index have been started. Some of the next page may have been as well. */
  offset: z.int().nonnegative(),
  inFlight: z.array(sampleKeySchema),
  /** Ended, but not yet written to `results.jsonl`. */
  uncollected: z.array(sampleKeySchema),
  totals: runTotalsSchema,
  /** Holds all that ended before and is to be asked again. What else it holds has ended, or is in flight. */
  reopened: z.array(sampleRangeSchema).readonly(),
  /** The questions in flight that wait. */
  waiting: z.array(waitingQuestionSchema),
  paused: z.boolean(),
  /** The highest number of questions in flight. Null if it was not changed during the run. */
  concurrency: z.int().nullable(),
  /** When the questions that have not ended are ended, in milliseconds since 1970. */
  deadline: z.number().nullable(),
  /** The outcome of all questions that have not ended. Null unless the run is being stopped. */
  stopping: outcomeSchema.nullable(),
  ledger: ledgerSchema,
  /** Questions in a row that ended with the same failure. Null where the last one was answered. */
  failedInRow: failedInRowSchema.nullable(),
  /** Equal failures in a row, or of the first questions for a reason of the set-up, or questions waiting in an outage, that hold the run. */
  holdAfter: z.int().positive(),
  /** What the webhook knows: null that the run goes on. Absent where there is no webhook. */
  told: z.enum(toldEvents).nullable().optional(),
});
export type RunState = Readonly<z.infer<typeof runStateSchema>>;

export const defaultHoldAfter = 5;

export const emptyRun: RunState = {
  samples: 0,
  offset: 0,
  inFlight: [],
  uncollected: [],
  totals: noTotals,
  reopened: [],
  waiting: [],
  paused: false,
  concurrency: null,
  deadline: null,
  stopping: null,
  ledger: emptyLedger,
  failedInRow: null,
  holdAfter: defaultHoldAfter,
};

/** Whether `key` is one of `keys`. */
export const includesSample = (keys: readonly SampleKey[], key: SampleKey): boolean =>
  keys.some((other) => isSameSample(other, key));

const keyOf = ({ uuid, epoch }: SampleKey): SampleKey => ({ uuid, epoch });

const without = <Key extends SampleKey>(
  keys: readonly Key[],
  others: readonly SampleKey[],
): Key[] => keys.filter((key) => !includesSample(others, key));

export const recordStarted = (state: RunState, samples: readonly SampleKey[]): RunState => ({
  ...state,
  inFlight: [...state.inFlight, ...samples.map(keyOf)],
});

/** Counts each end once: a second report changes nothing, as the question is no longer in flight. */
export function recordEnded(state: RunState, key: SampleKey, ended: EndedQuestion): RunState {
  if (!includesSample(state.inFlight, key)) return state;
  return {
    ...state,
    inFlight: without(state.inFlight, [key]),
    waiting: without(state.waiting, [key]),
    uncollected: [...state.uncollected, keyOf(key)],
    totals: addEnded(state.totals, ended),
    failedInRow: failedInRowAfter(state, ended),
  };
}

function failedInRowAfter(
  { failedInRow, totals }: RunState,
  { outcome, failure }: EndedQuestion,
): RunState['failedInRow'] {
  if (failure) {
    const setUp = setUpOutcomes.find((each) => each === outcome);
    const isSame = failedInRow?.failure === failure.type && failedInRow.outcome === setUp;
    const count = isSame ? failedInRow.count : 0;
    // A question that ended otherwise shows that the set-up is right.
    if (setUp !== undefined && count < sum(Object.values(totals.outcomes))) return failedInRow;
    const { type, message } = failure;
    return { failure: type, message, count: count + 1, ...(setUp && { outcome: setUp }) };
  }
  return outcome === 'answered' ? null : failedInRow;
}

export const recordCollected = (state: RunState, keys: readonly SampleKey[]): RunState => ({
  ...state,
  uncollected: without(state.uncollected, keys),
});

/** Replaces what a question waits for. Ignores a question that has ended. */
export const recordWaiting = (state: RunState, question: WaitingQuestion): RunState =>
  includesSample(state.inFlight, question)
    ? { ...state, waiting: [...without(state.waiting, [question]), question] }
    : state;

export const recordResumed = (state: RunState, keys: readonly SampleKey[]): RunState => ({
  ...state,
  waiting: without(state.waiting, keys),
});

/** The questions whose calls are to be collected for a batch, while the run is not paused. */
export const collectable = ({ waiting, paused }: RunState): readonly WaitingQuestion[] =>
  paused ? [] : waiting.filter(({ reason, batch }) => reason === 'batch' && batch === undefined);

/** Changes what some of the waiting questions wait for. */
export const recordWaits = (
  state: RunState,
  isMeant: (question: WaitingQuestion) => boolean,
  waits: Partial<WaitingQuestion>,
): RunState => ({
  ...state,
  waiting: state.waiting.map((each) => (isMeant(each) ? { ...each, ...waits } : each)),
});

/** Forgets what failed: a person says that it is mended. */
export const recordMended = (state: RunState): RunState => ({
  ...state,
  waiting: [],
  failedInRow: null,
});

/** Takes ended questions out of the totals, so that they are asked again. @param ranges - hold all of them */
export const recordReopened = (
  state: RunState,
  ranges: readonly SampleRange[],
  reopened: RunTotals,
): RunState => ({
  ...state,
  reopened: joinedRanges(state.reopened, ranges),
  totals: removeTotals(state.totals, reopened),
});

/** Why a run starts no questions. */
export const blockReasons = ['paused', 'quota', 'budget', 'outage', 'failures'] as const;

/** Why the run starts no questions at the moment. Null while it does. */
export function heldBy(state: RunState): (typeof blockReasons)[number] | null {
  const { paused, waiting, failedInRow, holdAfter } = state;
  if (paused) return 'paused';
  if (waiting.some(({ reason }) => reason === 'quota')) return 'quota';
  if (waiting.some(({ reason }) => reason === 'budget')) return 'budget';
  if (waiting.filter(({ reason }) => reason === 'outage').length >= holdAfter) return 'outage';
  return failedInRow !== null && failedInRow.count >= holdAfter ? 'failures' : null;
}

/** Whether the run makes no progress until a person acts. Includes `quota`: such a call is retried, but only a payment helps. */
export function isParked(state: RunState): boolean {
  const { inFlight, waiting, paused } = state;
  if (paused) return true;
  if (inFlight.length === 0) return heldBy(state) === 'failures';
  return (
    waiting.length === inFlight.length &&
    waiting.every(({ reason }) => reason === 'budget' || reason === 'quota')
  );
}
