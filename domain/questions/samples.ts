import { z } from 'zod';
import type { DatasetItem } from './dataset-item.js';
import { sampleKeySchema } from '../ids.js';
import { preview } from '../preview.js';

/** A sample as a run's workflow handles it: its key, and what the UI shows of it. */
export const sampleSchema = sampleKeySchema.extend({
  question: z.string(),
  tags: z.array(z.string()),
});
export type Sample = Readonly<z.infer<typeof sampleSchema>>;

/** Places in the order of a run, from 0; `end` is not among them. */
export interface SampleRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Samples of a run in the order they are started: the whole dataset once, then the next epoch.
 * @param range - the whole run where it is left out
 */
export function samplesOf(
  items: readonly DatasetItem[],
  epochs: number,
  { start, end }: SampleRange = { start: 0, end: Infinity },
): readonly Sample[] {
  const length = Math.max(0, Math.min(end, items.length * epochs) - start);
  return Array.from({ length }, (_, index) => {
    const place = start + index;
    // Below `items.length` times `epochs`.
    const { uuid, question, tags } = items[place % items.length] as DatasetItem;
    const epoch = Math.floor(place / items.length) + 1;
    return { uuid, epoch, question: preview(question, 80), tags };
  });
}
