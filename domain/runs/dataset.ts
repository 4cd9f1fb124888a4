import { z } from 'zod';
import { readJsonLines } from '../formats/json-lines.js';
import { preview } from '../formats/text.js';
import { sampleKeySchema } from '../ids.js';
import { datasetItemSchema, scoringProblems, type DatasetItem } from '../scoring/dataset-item.js';
import { needsExecution } from '../scoring/execution-match/execution-options.js';
import { ownScorerOf } from '../scoring/own-scorer.js';
import type { SampleRange } from './sample-ranges.js';

type DatasetReading =
  | {
      readonly kind: 'items';
      readonly items: readonly DatasetItem[];
      /** Probable mistakes. Each names its line. */
      readonly warnings: readonly string[];
    }
  /** Each names its line, from 1. */
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** What is wrong, or probably wrong, with a line. */
interface LineProblem {
  /** From 1. */
  readonly line: number;
  /** Null where the line is no item. */
  readonly uuid: string | null;
  readonly message: string;
  readonly isStrict?: true | undefined;
}

export interface DatasetLines {
  /** Of those that share a uuid the first. */
  readonly items: readonly { readonly line: number; readonly item: DatasetItem }[];
  readonly problems: readonly LineProblem[];
  readonly warnings: readonly LineProblem[];
}

/**
 * Reads a dataset in JSONL and checks every line, invalid evaluators included. Blank lines are skipped.
 * @param own - the scorers of plugins
 */
export function readDataset(text: string, own: ReadonlySet<string> = new Set()): DatasetReading {
  const { items, ...found } = readDatasetLines(text, own);
  const [problems, warnings] = [found.problems, found.warnings].map((list) =>
    list.map(({ line, message }) => `line ${line}: ${message}`),
  ) as [string[], string[]];
  if (problems.length > 0) return { kind: 'problems', problems };
  if (items.length === 0) return { kind: 'problems', problems: ['it holds no questions'] };
  return { kind: 'items', items: items.map(({ item }) => item), warnings };
}

/** As `readDataset`, with the items that have problems. */
export function readDatasetLines(text: string, own: ReadonlySet<string>): DatasetLines {
  const { lines, flaws } = readJsonLines(text, datasetItemSchema);
  const items: { line: number; item: DatasetItem }[] = [];
  const problems: LineProblem[] = flaws.map((flaw) => ({ ...flaw, uuid: null }));
  const warnings: LineProblem[] = [];
  const lineOfUuid = new Map<string, number>();
  for (const { line, value: item } of lines) {
    const { uuid } = item;
    const earlier = lineOfUuid.get(uuid);
    if (earlier !== undefined) {
      const message = `uuid ${uuid} stands on line ${earlier} already`;
      problems.push({ line, uuid, message });
      continue;
    }
    lineOfUuid.set(uuid, line);
    items.push({ line, item });
    for (const { severity, ...problem } of scoringProblems(item, own)) {
      (severity === 'error' ? problems : warnings).push({ line, uuid, ...problem });
    }
  }
  return { items, problems: problems.toSorted((a, b) => a.line - b.line), warnings };
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
interface EpochRange extends SampleRange {
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
