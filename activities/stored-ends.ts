import type { RunId, SampleKey } from '../domain/ids.js';
import { endedQuestion, type EndRecord } from '../domain/questions/end-record.js';
import { samplesOf } from '../domain/questions/samples.js';
import { addEnded, noTotals, type RunTotals } from '../domain/runs/run-totals.js';
import type { RunFilesPort } from './ports/run-files.js';

/** Files opened at once, and records held in memory: a run may have more of both than a process can. */
const batchSize = 100;

export interface StoredEnds {
  /** Questions times epochs. */
  readonly samples: number;
  readonly totals: RunTotals;
}

/** Publishes every end that is stored, also those nobody was there to collect, and counts them. */
export async function publishStoredEnds(runFiles: RunFilesPort, run: RunId): Promise<StoredEnds> {
  const { config } = await runFiles.manifest(run);
  const samples = samplesOf(await runFiles.items(run), config.epochs);
  let totals = noTotals;
  for (let offset = 0; offset < samples.length; offset += batchSize) {
    const ends = await storedEnds(runFiles, run, samples.slice(offset, offset + batchSize));
    const records = ends.filter((record) => record !== null);
    await runFiles.publish(run, records);
    totals = records.map(endedQuestion).reduce(addEnded, totals);
  }
  return { samples: samples.length, totals };
}

/** In the order of the keys; null for those that have not ended. */
export const storedEnds = (
  runFiles: RunFilesPort,
  run: RunId,
  keys: readonly SampleKey[],
): Promise<readonly (EndRecord | null)[]> => Promise.all(keys.map((key) => runFiles.end(run, key)));
