import { z } from 'zod';
import { duplicateKeys, readJsonLines } from '../formats/json-lines.js';
import { preview } from '../formats/text.js';
import { sampleKeySchema } from '../ids.js';
import { datasetItemSchema, scoringProblems, type DatasetItem } from '../scoring/dataset-item.js';
import { needsExecution } from '../scoring/execution-match/execution-options.js';
import { ownScorerOf } from '../scoring/own-scorer.js';
import type { SampleRange } from './sample-ranges.js';

export type DatasetReading =
  | {
      readonly kind: 'items';
      readonly items: readonly DatasetItem[];
      /** Probable mistakes. Each names its line. */
      readonly warnings: readonly string[];
    }
  /** Each names its line, from 1. */
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/**
 * Reads a dataset in JSONL and checks every line, invalid evaluators included. Blank lines are skipped.
 * @param own - the scorers of plugins
 */
export function readDataset(text: string, own: ReadonlySet<string> = new Set()): DatasetReading {
  const { lines, problems: flaws } = readJsonLines(text, datasetItemSchema);
  const found = lines.flatMap(({ line, value }) =>
    scoringProblems(value, own).map(({ severity, message }) => ({
      severity,
      text: `line ${line}: ${message}`,
    })),
  );
  const of = (wanted: (typeof found)[number]['severity']): readonly string[] =>
    found.flatMap(({ severity, text }) => (severity === wanted ? [text] : []));
  const problems = [
    ...flaws,
    ...duplicateKeys(lines, ({ uuid }) => `uuid ${uuid}`),
    ...of('error'),
  ];
  if (problems.length > 0) return { kind: 'problems', problems };
  if (lines.length === 0) return { kind: 'problems', problems: ['it holds no questions'] };
  return { kind: 'items', items: lines.map(({ value }) => value), warnings: of('warning') };
}

/** A sample in a run's workflow: its key, and the fields that the Temporal UI shows. */
export const sampleSchema = sampleKeySchema.extend({
  question: z.string(),
  tags: z.array(z.string()),
  /** Whether the SQL of its answer is executed before it is scored. @defaultValue false */
  executes: z.boolean().optional(),
  /** Whether a scorer of the user's scores its answer. @defaultValue false */
  ownScorer: z.boolean().optional(),
  /** Which asking of it begins. @defaultValue 1 */
  asking: z.int().min(1).optional(),
});
export type Sample = Readonly<z.infer<typeof sampleSchema>>;

/** Every sample of a run in the order in which they are started: the whole dataset, then the next epoch. */
export const sampleKeysOf = (items: readonly DatasetItem[], epochs: number): readonly Sample[] =>
  Array.from({ length: epochs }, (_, index) =>
    items.map((item) => sampleOf(item, index + 1)),
  ).flat();

export function sampleOf({ uuid, question, tags, evaluator }: DatasetItem, epoch: number): Sample {
  const sample = { uuid, epoch, question: preview(question, 80), tags };
  if (ownScorerOf(evaluator) !== null) return { ...sample, ownScorer: true };
  return needsExecution(evaluator) ? { ...sample, executes: true } : sample;
}

/** A part of the dataset in one epoch. */
export interface EpochRange extends SampleRange {
  readonly epoch: number;
}

/** The parts of the dataset that are a range of the run's order, in that order. @param items - how many there are */
export function epochRanges(
  { start, end }: SampleRange,
  items: number,
  epochs: number,
): readonly EpochRange[] {
  const parts: EpochRange[] = [];
  const last = Math.min(end, items * epochs);
  for (let from = start; from < last;) {
    const before = Math.floor(from / items) * items;
    const to = Math.min(last, before + items);
    parts.push({ epoch: before / items + 1, start: from - before, end: to - before });
    from = to;
  }
  return parts;
}
