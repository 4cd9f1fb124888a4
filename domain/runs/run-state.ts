import { z } from 'zod';
import { sampleKeySchema, type SampleKey } from '../ids.js';
import { addEnded, noTotals, runTotalsSchema, type EndedQuestion } from './run-totals.js';

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
});
export type RunState = Readonly<z.infer<typeof runStateSchema>>;

export const emptyRun: RunState = {
  samples: 0,
  offset: 0,
  inFlight: [],
  uncollected: [],
  totals: noTotals,
};

/** Whether `key` is one of `keys`. */
export const includesSample = (keys: readonly SampleKey[], { uuid, epoch }: SampleKey): boolean =>
  keys.some((key) => key.uuid === uuid && key.epoch === epoch);

const keyOf = ({ uuid, epoch }: SampleKey): SampleKey => ({ uuid, epoch });

export const noteStarted = (state: RunState, samples: readonly SampleKey[]): RunState => ({
  ...state,
  inFlight: [...state.inFlight, ...samples.map(keyOf)],
});

/** Counts an end once: a report about a question that is not in flight changes nothing. */
export function noteEnded(state: RunState, key: SampleKey, ended: EndedQuestion): RunState {
  if (!includesSample(state.inFlight, key)) return state;
  return {
    ...state,
    inFlight: state.inFlight.filter((other) => !includesSample([key], other)),
    uncollected: [...state.uncollected, keyOf(key)],
    totals: addEnded(state.totals, ended),
  };
}

export const noteCollected = (state: RunState, keys: readonly SampleKey[]): RunState => ({
  ...state,
  uncollected: state.uncollected.filter((key) => !includesSample(keys, key)),
});
