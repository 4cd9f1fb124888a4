import { z } from 'zod';
import { emptyLedger, ledgerSchema } from '../budget/ledger.js';
import { amountSchema } from '../budget/amount.js';
import { sampleKeySchema, type SampleKey } from '../ids.js';
import { outcomeSchema } from '../agent/question-result.js';
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

/** A question in flight that waits for a limit, a budget, credit or a person. */
export const waitingQuestionSchema = sampleKeySchema.extend({
  reason: z.enum(waitReasons),
  message: z.string(),
  /** When the question tries again, in milliseconds since 1970. Null if a person has to resume it. */
  until: z.number().nullable(),
  /** What its next call would reserve. Null if it does not wait for the budget. */
  need: amountSchema.nullable(),
});
export type WaitingQuestion = Readonly<z.infer<typeof waitingQuestionSchema>>;

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
});
export type RunState = Readonly<z.infer<typeof runStateSchema>>;
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
};

/** Whether `key` is one of `keys`. */
export const includesSample = (keys: readonly SampleKey[], { uuid, epoch }: SampleKey): boolean =>
  keys.some((key) => key.uuid === uuid && key.epoch === epoch);

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
  };
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
export const blockReasons = ['paused', 'quota', 'budget'] as const;

/** Why the run starts no questions at the moment. Null while it does. */
export function heldBy({ paused, waiting }: RunState): (typeof blockReasons)[number] | null {
  if (paused) return 'paused';
  if (waiting.some(({ reason }) => reason === 'quota')) return 'quota';
  return waiting.some(({ reason }) => reason === 'budget') ? 'budget' : null;
}

/** Whether every question in flight waits for a person. Includes `quota`: such a call is retried, but only a payment helps. */
export const isParked = ({ inFlight, waiting, paused }: RunState): boolean =>
  paused ||
  (inFlight.length > 0 &&
    waiting.length === inFlight.length &&
    waiting.every(({ until, reason }) => until === null || reason === 'quota'));
