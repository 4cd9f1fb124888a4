import { z } from 'zod';
import { keyText, questionIdSchema, type SampleKey } from '../ids.js';
import { doubled, readJsonLines } from '../predictions/json-lines.js';

/** A line of a file of labels: what a person found about one answer. */
const labelSchema = z.looseObject({
  uuid: questionIdSchema,
  epoch: z.int().min(1).default(1),
  label: z.union([z.boolean(), z.number().min(0).max(1)], {
    error: 'label must be true, false or a number from 0 to 1',
  }),
});

export interface Label extends SampleKey {
  /** From 0 to 1, as scores are. */
  readonly label: number;
}

export interface Labels {
  readonly labels: readonly Label[];
  /** Each naming its line. */
  readonly problems: readonly string[];
}

/** Reads what people found about answers. @param known - `keyText` of the answers there are */
export function readLabels(text: string, known: ReadonlySet<string>): Labels {
  const { lines, problems } = readJsonLines(text, labelSchema);
  return {
    labels: lines.map(({ value: { uuid, epoch, label } }) => ({
      uuid,
      epoch,
      label: Number(label),
    })),
    problems: [
      ...problems,
      ...doubled(
        lines,
        ({ uuid, epoch }) => `uuid ${uuid}${epoch > 1 ? ` in epoch ${epoch}` : ''}`,
      ),
      ...lines
        .filter(({ value }) => !known.has(keyText(value)))
        .map(
          ({ line, value: { uuid, epoch } }) =>
            `line ${line}: there is no answer to ${uuid} in epoch ${epoch}`,
        ),
      ...(lines.length === 0 && problems.length === 0 ? ['it holds no labels'] : []),
    ],
  };
}
