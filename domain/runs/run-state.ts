import { z } from 'zod';
import { sampleKeySchema, type SampleKey } from '../ids.js';
import { addEnded, runTotalsSchema, type EndedQuestion } from './run-totals.js';

/** What a run's workflow carries from page to page, and across continue-as-new. Its size is that of the window. */
export const runStateSchema = z.object({
  /** Questions times epochs. */
  samples: z.int().nonnegative(),
  /** Samples before this place in the run's order were started or had ended before. */
  offset: z.int().nonnegative(),
  inFlight: z.array(sampleKeySchema),
  /** Ended, and not yet published in `results.jsonl`. */
  uncollected: z.array(sampleKeySchema),
  totals: runTotalsSchema,
});
export type RunState = Readonly<z.infer<typeof runStateSchema>>;

const sameSample = (a: SampleKey, b: SampleKey): boolean =>
  a.uuid === b.uuid && a.epoch === b.epoch;

const keyOf = ({ uuid, epoch }: SampleKey): SampleKey => ({ uuid, epoch });

export const noteStarted = (state: RunState, samples: readonly SampleKey[]): RunState => ({
  ...state,
  inFlight: [...state.inFlight, ...samples.map(keyOf)],
});

/** Counts an end once: a report about a question that is not in flight changes nothing. */
export function noteEnded(state: RunState, key: SampleKey, ended: EndedQuestion): RunState {
  if (!state.inFlight.some((other) => sameSample(other, key))) return state;
  return {
    ...state,
    inFlight: state.inFlight.filter((other) => !sameSample(other, key)),
    uncollected: [...state.uncollected, keyOf(key)],
    totals: addEnded(state.totals, ended),
  };
}

export const noteCollected = (state: RunState, keys: readonly SampleKey[]): RunState => ({
  ...state,
  uncollected: state.uncollected.filter((key) => !keys.some((other) => sameSample(other, key))),
});
