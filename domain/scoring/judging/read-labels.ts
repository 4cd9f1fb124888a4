import { z } from 'zod';
import { keyText, questionIdSchema, type SampleKey } from '../../ids.js';
import { readSampleLines } from '../predictions.js';

/** A line of a file of labels: a person's score of one answer. */
const labelSchema = z.looseObject({
  uuid: questionIdSchema,
  epoch: z.int().min(1).default(1),
  label: z.union([z.boolean(), z.number().min(0).max(1)], {
    error: 'label must be true, false or a number from 0 to 1',
  }),
});

export interface Label extends SampleKey {
  /** From 0 to 1. */
  readonly label: number;
}

export interface Labels {
  readonly labels: readonly Label[];
  /** Each names its line. */
  readonly problems: readonly string[];
}

/** @param known - `keyText` of the answers that may have labels */
export function readLabels(text: string, known: ReadonlySet<string>): Labels {
  const { lines, problems } = readSampleLines(text, labelSchema, {
    name: 'labels',
    problemOf: (sample) =>
      known.has(keyText(sample))
        ? null
        : `there is no answer to ${sample.uuid} in epoch ${sample.epoch}`,
  });
  const labels = lines.map(({ value: { uuid, epoch, label } }) => ({
    uuid,
    epoch,
    label: Number(label),
  }));
  return { labels, problems };
}
