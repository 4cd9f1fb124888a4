import type { z } from 'zod';
import type { BuildingFilesPort } from '../../../activities/ports/building.js';
import type { EnrichmentPort } from '../../../activities/ports/enrichment.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type {
  BatchFiles,
  BatchFilesPort,
  JudgingFilesPort,
  RunFilesPort,
} from '../../../activities/ports/run-files.js';
import { add, noAmount } from '../../../domain/budget/amount.js';
import { buildFile, buildSchema } from '../../../domain/building/build.js';
import {
  enrichmentJobFile,
  enrichmentJobSchema,
  enrichmentFolder,
} from '../../../domain/enrichment/job.js';
import { exactJsonIn } from '../../../domain/formats/json.js';
import { sampleName, type RunId, type SampleKey, type StoreName } from '../../../domain/ids.js';
import { batchedAnswerSchema } from '../../../domain/runs/batches.js';
import { amountOfReply } from '../../../domain/runs/spent-amount.js';
import {
  judgingFile,
  judgingJobSchema,
  type JudgingId,
  type JudgingJob,
} from '../../../domain/scoring/judging/judging-job.js';
import { storeFolder } from '../../../domain/stores/store-manifest.js';
import { accessingFiles } from '../../../storage/atomic-file.js';
import {
  readJudgeReplies,
  saveJudgeReply,
  keepPaidRecord,
  readPaidRecord,
  readEnrichmentRecords,
  saveEnrichmentRecord,
} from '../../../storage/paid-records.js';
import { readText, type ObjectStorage } from '../../../storage/objects.js';
import { UnchangedFiles } from '../../../storage/unchanged-files.js';
import * as buildings from '../../../storage/building-files.js';

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

/** The files of batches: a run's among its others, a job's in its folder. */
export const createBatchFiles =
  (runFiles: RunFilesPort, storage: ObjectStorage): BatchFilesPort =>
  (owner) =>
    'run' in owner ? batchFilesOf(runFiles, owner.run) : batchFilesIn(storage, owner.folder);

const batchFilesOf = (runFiles: RunFilesPort, run: RunId): BatchFiles => ({
  json: (...of) => runFiles.json(run, ...of),
  saveText: (...of) => runFiles.saveText(run, ...of),
  removeText: (file) => runFiles.removeText(run, file),
  names: (folder) => runFiles.names(run, folder),
  answer: (...of) => runFiles.batchedAnswer(run, ...of),
  saveAnswer: (...of) => runFiles.saveBatchedAnswer(run, ...of),
});

function batchFilesIn(storage: ObjectStorage, folder: string): BatchFiles {
  const answerPath = (key: SampleKey, name: string): string =>
    `${folder}/answers/${sampleName(key)}/${name}.json`;
  return {
    json: async (file, schema) => {
      const path = `${folder}/${file}`;
      const text = await accessingFiles(`${path} cannot be read`, () => readText(storage, path));
      if (text === null) return null;
      const { data } = schema.safeParse(exactJsonIn(text));
      if (data !== undefined) return data;
      throw new PortFailure('InvalidRun', `${path} is damaged`);
    },
    saveText: (file, text) =>
      accessingFiles(`${folder}/${file} cannot be written`, () =>
        storage.write(`${folder}/${file}`, text),
      ),
    removeText: (file) =>
      accessingFiles(`${folder}/${file} cannot be removed`, () =>
        storage.remove(`${folder}/${file}`),
      ),
    names: (inside) =>
      accessingFiles(`${folder}/${inside} cannot be read`, () =>
        storage.list(`${folder}/${inside}`),
      ),
    answer: (key, name) => readPaidRecord(storage, answerPath(key, name), batchedAnswerSchema),
    saveAnswer: (key, name, answer) =>
      keepPaidRecord(storage, answerPath(key, name), answer, batchedAnswerSchema),
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
