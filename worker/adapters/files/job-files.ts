import type { z } from 'zod';
import type { BuildingFilesPort } from '../../../activities/ports/building.js';
import type { EnrichmentPort } from '../../../activities/ports/enrichment.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { JudgingFilesPort } from '../../../activities/ports/run-files.js';
import { add, noAmount } from '../../../domain/budget/amount.js';
import { buildFile, buildSchema } from '../../../domain/building/build.js';
import {
  enrichmentJobFile,
  enrichmentJobSchema,
  enrichmentFolder,
} from '../../../domain/enrichment/job.js';
import { exactJsonIn } from '../../../domain/formats/json.js';
import type { StoreName } from '../../../domain/ids.js';
import { amountOfReply } from '../../../domain/runs/spent-amount.js';
import {
  judgingFile,
  judgingJobSchema,
  type JudgingId,
  type JudgingJob,
} from '../../../domain/scoring/judging/judging-job.js';
import { storeFolder } from '../../../domain/stores/store-manifest.js';
import { accessingFiles } from '../../../storage/atomic-file.js';
import * as buildings from '../../../storage/building-files.js';
import {
  readJudgeReplies,
  saveJudgeReply,
  readEnrichmentRecords,
  saveEnrichmentRecord,
} from '../../../storage/paid-records.js';
import { readText, type ObjectStorage } from '../../../storage/objects.js';
import { UnchangedFiles } from '../../../storage/unchanged-files.js';

/** Of builds and of enrichments, which every call reads. One of 5,000 seeds, or of 10,000 papers, takes 2 MB. */
const cachedBytes = 2 ** 24;

/** Datasets that are built, in the storage of the runs. */
export function createBuildingFiles(storage: ObjectStorage): BuildingFilesPort {
  const cache = new UnchangedFiles({ maxBytes: cachedBytes, versionOf: storage.version });
  return {
    build: async (dataset) => {
      const path = buildFile(dataset);
      return foundJob('InvalidRun', path, () =>
        cache.read(path, () => readJob(storage, path, buildSchema)),
      );
    },
    item: (dataset, item) => buildings.readItem(storage, dataset, item),
    saveItem: (dataset, item) => buildings.writeItem(storage, dataset, item),
    text: (dataset, item, version) => buildings.readItemText(storage, dataset, item, version),
    saveText: (dataset, item, text) => buildings.writeItemText(storage, dataset, item, text),
    call: (dataset, item, call) => buildings.readCall(storage, dataset, item, call),
    saveCall: (dataset, item, record) => buildings.saveCall(storage, dataset, item, record),
    spent: async (dataset) => {
      let spent = noAmount;
      for await (const record of buildings.callsOf(storage, dataset))
        spent = add(spent, amountOfReply(record));
      return spent;
    },
  };
}

/** Enrichment in the folders of stores. */
export function createEnrichmentFiles(storage: ObjectStorage): EnrichmentPort {
  const cache = new UnchangedFiles({ maxBytes: cachedBytes, versionOf: storage.version });
  const inStore = (store: StoreName, file: string): string => `${storeFolder(store)}/${file}`;
  return {
    job: async (store, id) => {
      const path = inStore(store, enrichmentJobFile(id));
      return foundJob('StoreMissing', path, () =>
        cache.read(path, () => readJob(storage, path, enrichmentJobSchema)),
      );
    },
    records: (store, sha256) =>
      readEnrichmentRecords(storage, inStore(store, enrichmentFolder(sha256))),
    save: (store, sha256, record) =>
      saveEnrichmentRecord(storage, inStore(store, enrichmentFolder(sha256)), record),
  };
}

/** Judging jobs and their replies, in the storage of the runs. */
export function createJudgingFiles(storage: ObjectStorage): JudgingFilesPort {
  /** The job that was read last. A job never changes, and it is large, since it holds the answers. */
  let known: { readonly id: JudgingId; readonly job: Promise<JudgingJob> } | null = null;
  return {
    job: (id) => {
      if (known?.id !== id) {
        const path = judgingFile(id);
        const job = foundJob('InvalidRun', path, () => readJob(storage, path, judgingJobSchema));
        known = { id, job };
        job.catch(() => {
          if (known?.job === job) known = null;
        });
      }
      return known.job;
    },
    replies: (folder) => readJudgeReplies(storage, folder),
    saveReply: (folder, reply) => saveJudgeReply(storage, folder, reply),
  };
}

/** Null for a job that is missing or damaged. */
async function readJob<T>(
  storage: ObjectStorage,
  path: string,
  schema: z.ZodType<T>,
): Promise<T | null> {
  const text = await readText(storage, path);
  return schema.safeParse(exactJsonIn(text ?? '')).data ?? null;
}

async function foundJob<T>(
  failure: 'InvalidRun' | 'StoreMissing',
  path: string,
  read: () => Promise<T | null>,
): Promise<T> {
  const job = await accessingFiles(`${path} cannot be read`, read);
  if (job !== null) return job;
  throw new PortFailure(failure, `${path} is missing or damaged: give the command again`);
}
