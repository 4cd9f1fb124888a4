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

/** All samples of a run in the order they are started: the whole dataset once, then the next epoch. */
export function samplesOf(items: readonly DatasetItem[], epochs: number): readonly Sample[] {
  return Array.from({ length: epochs }, (_, index) => index + 1).flatMap((epoch) =>
    items.map(({ uuid, question, tags }) => ({
      uuid,
      epoch,
      question: preview(question, 80),
      tags,
    })),
  );
}
