import { z } from 'zod';
import { emptyLedger, ledgerSchema } from '../budget/ledger.js';
import { amountSchema } from '../budget/amount.js';
import { sampleKeySchema, type SampleKey } from '../ids.js';
import { outcomeSchema } from '../agent/question-result.js';
import { waitReasons } from './question-ref.js';
import {
  addEnded,
  noTotals,
  removeEnded,
  runTotalsSchema,
  type EndedQuestion,
} from './run-totals.js';

/** A question in flight that does not go on by itself, or only later. */
export const waitingQuestionSchema = sampleKeySchema.extend({
  reason: z.enum(waitReasons),
  message: z.string(),
  /** When it tries again by itself, in milliseconds since 1970; null where somebody has to let it. */
  until: z.number().nullable(),
  /** What its next call would reserve of the budget; null where that is not what it waits for. */
  need: amountSchema.nullable(),
});
export type WaitingQuestion = Readonly<z.infer<typeof waitingQuestionSchema>>;

/** What a run's workflow carries from page to page, and across continue-as-new. Its size is that of the window. */
export const runStateSchema = z.object({
  /** Questions times epochs. */
  samples: z.int().nonnegative(),
  /** Samples before this place in the run's order are in flight or have ended; so may some of the page that follows. */
  offset: z.int().nonnegative(),
  inFlight: z.array(sampleKeySchema),
  /** Ended, and not yet published in `results.jsonl`. */
  uncollected: z.array(sampleKeySchema),
  totals: runTotalsSchema,
  /** Ended once, and to be asked again. */
  reopened: z.array(sampleKeySchema),
  /** Those in flight that wait for something else than their turn. */
  waiting: z.array(waitingQuestionSchema),
  paused: z.boolean(),
  /** Questions in flight at most, where it was tuned. */
  concurrency: z.int().nullable(),
  /** When the run ends whatever is left of it, in milliseconds since 1970. */
  deadline: z.number().nullable(),
  /** How whatever has not ended is to end; null while the run goes on. */
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
  reopened: without(state.reopened, samples),
});

/** Counts an end once: a report about a question that is not in flight changes nothing. */
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

/** A question waits, or waits for something else now. One that has ended meanwhile does not. */
export const recordWaiting = (state: RunState, question: WaitingQuestion): RunState =>
  includesSample(state.inFlight, question)
    ? { ...state, waiting: [...without(state.waiting, [question]), question] }
    : state;

export const recordResumed = (state: RunState, keys: readonly SampleKey[]): RunState => ({
  ...state,
  waiting: without(state.waiting, keys),
});

/** Ends that no longer count, of questions to be asked again. One that was listed as such already may be in flight. */
export const recordReopened = (
  state: RunState,
  reopened: readonly (SampleKey & { readonly ended: EndedQuestion })[],
): RunState => ({
  ...state,
  reopened: [...state.reopened, ...without(reopened, state.inFlight).map(keyOf)],
  totals: reopened.map(({ ended }) => ended).reduce(removeEnded, state.totals),
});

/** Why a run that goes on starts no question at the moment; null where it does. */
export function heldBy({ paused, waiting }: RunState): 'paused' | 'quota' | 'budget' | null {
  if (paused) return 'paused';
  if (waiting.some(({ reason }) => reason === 'quota')) return 'quota';
  return waiting.some(({ reason }) => reason === 'budget') ? 'budget' : null;
}

/** Every question in flight waits until somebody lets it go on; with a spent account it looks again, but rarely. */
export const isParked = ({ inFlight, waiting, paused }: RunState): boolean =>
  paused ||
  (inFlight.length > 0 &&
    waiting.length === inFlight.length &&
    waiting.every(({ until, reason }) => until === null || reason === 'quota'));
