import {
  enrichmentRecordName,
  enrichmentRecordSchema,
  type EnrichmentRecord,
} from '../../domain/enrichment/job.js';
import { accessingFiles } from '../atomic-file.js';
import type { ObjectStorage } from '../objects.js';
import { keepPaidRecord, readPaidRecord } from '../paid-records.js';

/** The replies about one paper: an object for each. Empty if there is no folder. Damaged ones are left out. */
export async function readEnrichmentRecords(
  storage: ObjectStorage,
  folder: string,
): Promise<readonly EnrichmentRecord[]> {
  const names = await accessingFiles(`${folder} cannot be read`, () => storage.list(folder));
  const records = await Promise.all(
    names
      .filter((name) => name.endsWith('.json'))
      .map((name) => readPaidRecord(storage, `${folder}/${name}`, enrichmentRecordSchema)),
  );
  return records.filter((record) => record !== null);
}

/** Keeps the first record of a question that is whole, and resolves to the record that is stored. */
export const saveEnrichmentRecord = (
  storage: ObjectStorage,
  folder: string,
  record: EnrichmentRecord,
): Promise<EnrichmentRecord> =>
  keepPaidRecord(
    storage,
    `${folder}/${enrichmentRecordName(record)}`,
    record,
    enrichmentRecordSchema,
  );
