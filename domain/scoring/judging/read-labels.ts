import { z } from 'zod';
import { keyText, questionIdSchema, type SampleKey } from '../../ids.js';
import { readSampleLines } from '../predictions.js';
import { rangeOf, type Scale } from '../scale.js';

/** A line of a file of labels: a person's score of one answer. */
const labelSchema = z.looseObject({
  uuid: questionIdSchema,
  epoch: z.int().min(1).default(1),
  label: z.union([z.boolean(), z.number()], { error: 'label must be true, false or a number' }),
});

export interface Label extends SampleKey {
  /** In numbers of the answer's scale; 1 for true and 0 for false. */
  readonly label: number;
}

export interface Labels {
  readonly labels: readonly Label[];
  /** Each names its line. */
  readonly problems: readonly string[];
}

/** @param known - the scales of the answers that may have labels, by `keyText` */
export function readLabels(text: string, known: ReadonlyMap<string, Scale>): Labels {
  const { lines, problems } = readSampleLines(text, labelSchema, {
    name: 'labels',
    problemOf: (sample) => problemOf(sample, known.get(keyText(sample))),
  });
  const labels = lines.map(({ value: { uuid, epoch, label } }) => ({
    uuid,
    epoch,
    label: Number(label),
  }));
  return { labels, problems };
}

function problemOf(
  { uuid, epoch, label }: z.infer<typeof labelSchema>,
  scale: Scale | undefined,
): string | null {
  if (scale === undefined) return `there is no answer to ${uuid} in epoch ${epoch}`;
  const { least, most } = rangeOf[scale];
  if (typeof label === 'boolean' ? scale === 'unit' : label >= least && label <= most) return null;
  return scale === 'unit'
    ? 'label must be true, false or a number from 0 to 1'
    : `label must be a number from 1 to 5, since the answer to ${uuid} is graded`;
}
