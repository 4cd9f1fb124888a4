import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonIn } from '../domain/formats/json.js';
import {
  enrichmentRecordName,
  enrichmentRecordSchema,
  type EnrichmentRecord,
} from '../domain/enrichment/record.js';
import {
  accessingFiles,
  createFileAtomically,
  jsonText,
  pathsIn,
  writeFileAtomically,
} from './atomic-file.js';

/** The replies about one paper: a file for each. Empty if there is no folder. Damaged files are left out. */
export async function readEnrichmentRecords(folder: string): Promise<readonly EnrichmentRecord[]> {
  const records = await Promise.all((await pathsIn(folder, '.json')).map(readRecord));
  return records.filter((record) => record !== null);
}

/** Keeps the first record of a question that is whole, and resolves to the record that is stored. */
export async function saveEnrichmentRecord(
  folder: string,
  record: EnrichmentRecord,
): Promise<EnrichmentRecord> {
  const path = join(folder, enrichmentRecordName(record));
  return accessingFiles(`${path} cannot be written`, async () => {
    if (await createFileAtomically(path, jsonText(record))) return record;
    const first = await readRecord(path);
    if (first === null) await writeFileAtomically(path, jsonText(record));
    return first ?? record;
  });
}

/** Null if it is damaged. */
async function readRecord(path: string): Promise<EnrichmentRecord | null> {
  const text = await accessingFiles(`${path} cannot be read`, () => readFile(path, 'utf8'));
  return enrichmentRecordSchema.safeParse(jsonIn(text)).data ?? null;
}
