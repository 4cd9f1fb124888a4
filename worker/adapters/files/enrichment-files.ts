import type { EnrichmentPort } from '../../../activities/ports/enrichment.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import {
  enrichmentJobFile,
  enrichmentJobSchema,
  type EnrichmentId,
  type EnrichmentJob,
} from '../../../domain/enrichment/job.js';
import { enrichmentFolder } from '../../../domain/enrichment/record.js';
import { jsonIn } from '../../../domain/formats/json.js';
import type { StoreName } from '../../../domain/ids.js';
import { storeFolder } from '../../../domain/stores/store-manifest.js';
import { accessingFiles } from '../../../storage/atomic-file.js';
import {
  readEnrichmentRecords,
  saveEnrichmentRecord,
} from '../../../storage/stores/enrichment-records.js';
import { readText, type ObjectStorage } from '../../../storage/objects.js';
import { UnchangedFiles } from '../../../storage/unchanged-files.js';

/** Of jobs, which every call reads. One of a store of 10,000 papers takes 2 MB. */
const cachedBytes = 2 ** 23;

/** Enrichment in the folders of stores. */
export function createEnrichmentFiles(storage: ObjectStorage): EnrichmentPort {
  const cache = new UnchangedFiles({ maxBytes: cachedBytes, versionOf: storage.version });
  const inStore = (store: StoreName, file: string): string => `${storeFolder(store)}/${file}`;
  return {
    job: async (store: StoreName, id: EnrichmentId): Promise<EnrichmentJob> => {
      const path = inStore(store, enrichmentJobFile(id));
      const job = await accessingFiles(`${path} cannot be read`, () =>
        cache.read(path, async () => {
          const text = await readText(storage, path);
          return enrichmentJobSchema.safeParse(jsonIn(text ?? '')).data ?? null;
        }),
      );
      if (job) return job;
      throw new PortFailure(
        'StoreMissing',
        `${path} is missing or damaged: give the command again`,
      );
    },
    records: (store, sha256) =>
      readEnrichmentRecords(storage, inStore(store, enrichmentFolder(sha256))),
    save: (store, sha256, record) =>
      saveEnrichmentRecord(storage, inStore(store, enrichmentFolder(sha256)), record),
  };
}
