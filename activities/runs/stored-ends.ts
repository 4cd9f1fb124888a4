import { Context } from '@temporalio/activity';
import { z } from 'zod';
import type { RunId, SampleKey } from '../../domain/ids.js';
import type { Sample } from '../../domain/runs/dataset.js';
import { endedQuestion, type EndRecord } from '../../domain/runs/question-end.js';
import { addEnded, noTotals, runTotalsSchema } from '../../domain/runs/run-totals.js';
import { joinedRanges, rangesOf, type SampleRange } from '../../domain/runs/sample-ranges.js';
import { activity, type Work } from '../failures.js';
import { countSamples, samplesIn } from '../questions/run-samples.js';
import { PortFailure } from '../ports/port-failure.js';
import type { RunFilesPort } from '../ports/run-files.js';

/** Limits how many files are open and how many records are in memory at once. */
const batchSize = 100;

export interface SampleWithEnd {
  readonly sample: Sample;
  /** Null if it has none. */
  readonly end: EndRecord | null;
  /** Whether anything is stored of it. */
  readonly isBegun: boolean;
}

interface SampleFold<T> {
  readonly runFiles: RunFilesPort;
  readonly run: RunId;
  readonly keep: Work['keep'];
  /** Of what is folded. */
  readonly schema: z.ZodType<T>;
  readonly first: T;
  readonly step: (value: T, batch: readonly SampleWithEnd[]) => Promise<T>;
}

/**
 * Goes through all samples of a run in the order in which they are started. The attempt after one that was killed goes on
 * where that one was.
 */
export async function foldSamples<T>(fold: SampleFold<T>): Promise<T> {
  const { runFiles, run, keep, schema, step } = fold;
  const cursorSchema = z.object({ next: z.int().nonnegative(), value: schema });
  const told = cursorSchema.safeParse(Context.current().info.heartbeatDetails);
  let { next, value } = told.data ?? { next: 0, value: fold.first };
  const samples = await countSamples(runFiles, run);
  const begun = await runFiles.begun(run);
  while (next < samples) {
    keep({ next, value });
    const end = Math.min(samples, next + batchSize);
    const batch = await samplesIn(runFiles, run, { start: next, end });
    const found = batch.map(async (sample): Promise<SampleWithEnd> =>
      begun.has(sample)
        ? { sample, end: await runFiles.end(run, sample), isBegun: true }
        : { sample, end: null, isBegun: false },
    );
    value = await step(value, await Promise.all(found));
    next = end;
  }
  return value;
}

export const storedEndsSchema = z.object({
  /** Questions times epochs. */
  samples: z.int().nonnegative(),
  totals: runTotalsSchema,
});
export type StoredEnds = Readonly<z.infer<typeof storedEndsSchema>>;

export const noStoredEnds: StoredEnds = { samples: 0, totals: noTotals };

/** Publishes every stored end, also those that no workflow has collected, and counts them. */
export const publishStoredEnds = (
  runFiles: RunFilesPort,
  run: RunId,
  keep: Work['keep'],
): Promise<StoredEnds> =>
  foldSamples({
    runFiles,
    run,
    keep,
    schema: storedEndsSchema,
    first: noStoredEnds,
    step: (counted, batch) => publishBatch(runFiles, run, batch, counted),
  });

/** Publishes the ends of one batch and adds them to what is counted already. */
export async function publishBatch(
  runFiles: RunFilesPort,
  run: RunId,
  batch: readonly SampleWithEnd[],
  { samples, totals }: StoredEnds,
): Promise<StoredEnds> {
  const records = batch.flatMap(({ end }) => end ?? []);
  if (records.length > 0) await runFiles.publish(run, records);
  return {
    samples: samples + batch.length,
    totals: records.map(endedQuestion).reduce(addEnded, totals),
  };
}

/** In the order of the keys; null for those that have not ended. */
export async function storedEnds(
  runFiles: RunFilesPort,
  run: RunId,
  keys: readonly SampleKey[],
): Promise<readonly (EndRecord | null)[]> {
  const ends: (EndRecord | null)[] = [];
  for (let first = 0; first < keys.length; first += batchSize) {
    const batch = keys.slice(first, first + batchSize).map((key) => runFiles.end(run, key));
    ends.push(...(await Promise.all(batch)));
  }
  return ends;
}

/** What is known of the ends of some questions. */
interface FoundEnds extends Omit<StoredEnds, 'samples'> {
  /** Hold the places of those that have ended, in the order of the run. */
  readonly ranges: readonly SampleRange[];
  readonly unended: readonly SampleKey[];
  /** The current asking of those that have ended, where it is not the first. */
  readonly askings: readonly (SampleKey & { readonly asking: number })[];
}

/** Looks up the ends of questions. Fails if a key is no question of the run. */
export function createLookUpEnds({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: { readonly run: RunId; readonly keys: readonly SampleKey[] }) => Promise<FoundEnds> {
  return activity(async ({ run, keys }) => {
    const { config } = await runFiles.manifest(run);
    const items = await runFiles.itemCount(run);
    const indices: number[] = [];
    for (const { uuid, epoch } of keys) {
      const place = await runFiles.itemPlace(run, uuid);
      if (place === null || epoch > config.epochs) {
        throw new PortFailure('InvalidRun', `run ${run} has no question ${uuid} (epoch ${epoch})`);
      }
      indices.push((epoch - 1) * items + place);
    }
    const records = await storedEnds(runFiles, run, keys);
    return {
      ranges: joinedRanges([], rangesOf(indices.filter((_, place) => records[place]))),
      totals: records
        .flatMap((end) => end ?? [])
        .map(endedQuestion)
        .reduce(addEnded, noTotals),
      unended: keys.filter((_, place) => !records[place]),
      askings: records.flatMap((end) => {
        if (end === null) return [];
        const { uuid, epoch, asking = 1 } = end.result;
        return asking > 1 ? [{ uuid, epoch, asking }] : [];
      }),
    };
  });
}
