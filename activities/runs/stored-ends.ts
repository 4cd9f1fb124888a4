import { questionWorkflowId, type RunId, type SampleKey } from '../../domain/ids.js';
import { sampleKeysOf, type Sample } from '../../domain/runs/dataset.js';
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

/** Files opened at once, and records held in memory: a run may have more of both than a process can. */
const batchSize = 100;

export interface SampleWithEnd {
  readonly sample: Sample;
  /** Null while it has none. */
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

/** Publishes every end that is stored, also those nobody was there to collect, and counts them. */
export async function publishStoredEnds(runFiles: RunFilesPort, run: RunId): Promise<StoredEnds> {
  let counted = noStoredEnds;
  for await (const batch of samplesInBatches(runFiles, run)) {
    counted = await publishBatch(runFiles, run, batch, counted);
  }
  return counted;
}

/** The same for one batch, on top of what is counted already. */
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
  readonly ended: EndedQuestion;
}

/** How those of `keys` ended that have. Fails where one is no question of the run. */
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
      const samples = sampleKeysOf(await runFiles.items(run), config.epochs);
      const known = new Set(samples.map((sample) => questionWorkflowId(run, sample)));
      const stranger = keys.find((key) => !known.has(questionWorkflowId(run, key)));
      if (stranger) {
        throw new PortFailure(
          'InvalidRun',
          `run ${run} has no question ${stranger.uuid} (epoch ${stranger.epoch})`,
        );
      }
      const records = await storedEnds(runFiles, run, keys);
      return {
        ends: records.flatMap((record) =>
          record === null
            ? []
            : [
                {
                  uuid: record.result.uuid,
                  epoch: record.result.epoch,
                  ended: endedQuestion(record),
                },
              ],
        ),
      };
    });
  };
}
