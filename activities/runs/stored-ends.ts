import type { RunId, SampleKey } from '../../domain/ids.js';
import { sampleIndexOf, sampleKeysOf, type Sample } from '../../domain/runs/dataset.js';
import { endedQuestion, type EndRecord } from '../../domain/runs/question-end.js';
import {
  addEnded,
  noTotals,
  type EndedQuestion,
  type RunTotals,
} from '../../domain/runs/run-totals.js';
import { reportingFailures } from '../failures.js';
import { PortFailure } from '../ports/port-failure.js';
import type { RunFilesPort } from '../ports/run-files.js';

/** Limits how many files are open and how many records are in memory at once. */
const batchSize = 100;

export interface SampleWithEnd {
  readonly sample: Sample;
  /** Null if it has none. */
  readonly end: EndRecord | null;
}

/** Every sample of a run with its stored end, in the order in which they are started. */
export async function* samplesInBatches(
  runFiles: RunFilesPort,
  run: RunId,
): AsyncGenerator<readonly SampleWithEnd[], void> {
  const { config } = await runFiles.manifest(run);
  const samples = sampleKeysOf(await runFiles.items(run), config.epochs);
  for (let offset = 0; offset < samples.length; offset += batchSize) {
    const batch = samples.slice(offset, offset + batchSize);
    const ends = await storedEnds(runFiles, run, batch);
    yield batch.map((sample, index) => ({ sample, end: ends[index] ?? null }));
  }
}

export interface StoredEnds {
  /** Questions times epochs. */
  readonly samples: number;
  readonly totals: RunTotals;
}

export const noStoredEnds: StoredEnds = { samples: 0, totals: noTotals };

/** Publishes every stored end, also those that no workflow has collected, and counts them. */
export async function publishStoredEnds(runFiles: RunFilesPort, run: RunId): Promise<StoredEnds> {
  let counted = noStoredEnds;
  for await (const batch of samplesInBatches(runFiles, run)) {
    counted = await publishBatch(runFiles, run, batch, counted);
  }
  return counted;
}

/** Publishes the ends of one batch and adds them to what is counted already. */
export async function publishBatch(
  runFiles: RunFilesPort,
  run: RunId,
  batch: readonly SampleWithEnd[],
  { samples, totals }: StoredEnds,
): Promise<StoredEnds> {
  const records = batch.flatMap(({ end }) => end ?? []);
  await runFiles.publish(run, records);
  return {
    samples: samples + batch.length,
    totals: records.map(endedQuestion).reduce(addEnded, totals),
  };
}

/** In the order of the keys; null for those that have not ended. */
export const storedEnds = (
  runFiles: RunFilesPort,
  run: RunId,
  keys: readonly SampleKey[],
): Promise<readonly (EndRecord | null)[]> => Promise.all(keys.map((key) => runFiles.end(run, key)));

export interface EndOfSample extends SampleKey {
  /** Its place in the order of the run. */
  readonly index: number;
  readonly asking: number;
  readonly ended: EndedQuestion;
}

/** The ends of those of `keys` that have ended. Fails if a key is no question of the run. */
export function createLookUpEnds({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: {
  readonly run: RunId;
  readonly keys: readonly SampleKey[];
}) => Promise<{ readonly ends: readonly EndOfSample[] }> {
  return async function lookUpEnds({ run, keys }) {
    return reportingFailures(async () => {
      const { config } = await runFiles.manifest(run);
      const indexOf = sampleIndexOf(await runFiles.items(run), config.epochs);
      const indices = keys.map((key) => {
        const index = indexOf(key);
        if (index !== null) return index;
        throw new PortFailure(
          'InvalidRun',
          `run ${run} has no question ${key.uuid} (epoch ${key.epoch})`,
        );
      });
      const records = await storedEnds(runFiles, run, keys);
      return {
        ends: indices.flatMap((index, place) => {
          const record = records[place] ?? null;
          if (record === null) return [];
          const { uuid, epoch, asking = 1 } = record.result;
          return [{ uuid, epoch, index, asking, ended: endedQuestion(record) }];
        }),
      };
    });
  };
}
