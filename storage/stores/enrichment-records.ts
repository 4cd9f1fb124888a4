import { jsonIn } from '../../domain/formats/json.js';
import {
  enrichmentRecordName,
  enrichmentRecordSchema,
  type EnrichmentRecord,
} from '../../domain/enrichment/record.js';
import { accessingFiles, jsonText } from '../atomic-file.js';
import { readText, type ObjectStorage } from '../objects.js';

/** The replies about one paper: an object for each. Empty if there is no folder. Damaged ones are left out. */
export async function readEnrichmentRecords(
  storage: ObjectStorage,
  folder: string,
): Promise<readonly EnrichmentRecord[]> {
  const names = await accessingFiles(`${folder} cannot be read`, () => storage.list(folder));
  const records = await Promise.all(
    names
      .filter((name) => name.endsWith('.json'))
      .map((name) => readRecord(storage, `${folder}/${name}`)),
  );
  return records.filter((record) => record !== null);
}

/** Keeps the first record of a question that is whole, and resolves to the record that is stored. */
export async function saveEnrichmentRecord(
  storage: ObjectStorage,
  folder: string,
  record: EnrichmentRecord,
): Promise<EnrichmentRecord> {
  const path = `${folder}/${enrichmentRecordName(record)}`;
  return accessingFiles(`${path} cannot be written`, async () => {
    if (await storage.create(path, jsonText(record))) return record;
    const first = await readRecord(storage, path);
    if (first === null) await storage.write(path, jsonText(record));
    return first ?? record;
  });
}

/** Null if it is damaged. */
async function readRecord(storage: ObjectStorage, path: string): Promise<EnrichmentRecord | null> {
  const text = await accessingFiles(`${path} cannot be read`, () => readText(storage, path));
  return enrichmentRecordSchema.safeParse(jsonIn(text ?? '')).data ?? null;
}
