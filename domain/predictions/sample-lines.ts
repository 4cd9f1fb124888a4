import type { z } from 'zod';
import type { SampleKey } from '../ids.js';
import { doubled, readJsonLines, type JsonLines } from './json-lines.js';

/** What a file has a line each of. */
export interface SampleLinesOf<T> {
  /** In the plural: `predictions`. */
  readonly name: string;
  /** What is missing for a line to be of use; null where nothing is. */
  readonly lack: (value: T) => string | null;
}

/** Reads a line for each sample. A sample that stands twice, a line of no use and a text without lines are problems, too. */
export function readSampleLines<T extends SampleKey>(
  text: string,
  schema: z.ZodType<T>,
  { name, lack }: SampleLinesOf<T>,
): JsonLines<T> {
  const { lines, problems } = readJsonLines(text, schema);
  return {
    lines,
    problems: [
      ...problems,
      ...doubled(
        lines,
        ({ uuid, epoch }) => `uuid ${uuid}${epoch > 1 ? ` in epoch ${epoch}` : ''}`,
      ),
      ...lines.flatMap(({ line, value }) => {
        const lacking = lack(value);
        return lacking === null ? [] : [`line ${line}: ${lacking}`];
      }),
      ...(lines.length === 0 && problems.length === 0 ? [`it holds no ${name}`] : []),
    ],
  };
}
