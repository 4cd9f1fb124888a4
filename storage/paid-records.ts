import type { z } from 'zod';
import {
  enrichmentRecordName,
  enrichmentRecordSchema,
  type EnrichmentRecord,
} from '../domain/enrichment/job.js';
import { jsonIn } from '../domain/formats/json.js';
import { judgeReplyName } from '../domain/runs/run-manifest.js';
import { judgeReplySchema, type JudgeReply } from '../domain/scoring/judging/judge-request.js';
import { accessingFiles, jsonText } from './atomic-file.js';
import { readText, type ObjectStorage } from './objects.js';

/** A record of a reply that was paid for. Null if there is none, and for a damaged one: its model is asked again. */
export async function readPaidRecord<Schema extends z.ZodType>(
  storage: Pick<ObjectStorage, 'read'>,
  path: string,
  schema: Schema,
): Promise<z.infer<Schema> | null> {
  const text = await accessingFiles(`${path} cannot be read`, () => readText(storage, path));
  return schema.safeParse(jsonIn(text ?? '')).data ?? null;
}

/**
 * Keeps the first record at a path that is whole, and resolves to what is stored. A damaged one moves to `PATH.damaged`, and a
 * warning of the process says so.
 */
export async function keepPaidRecord<Schema extends z.ZodType>(
  storage: ObjectStorage,
  path: string,
  record: z.infer<Schema>,
  schema: Schema,
): Promise<z.infer<Schema>> {
  return accessingFiles(`${path} cannot be written`, async () => {
    if (await storage.create(path, jsonText(record))) return record;
    const text = await readText(storage, path);
    // As on a network share: another machine has created it, and this one does not see it yet.
    if (text === null) throw new Error(`${path} is there, and cannot be read yet`);
    const first = schema.safeParse(jsonIn(text));
    if (first.success) return first.data;
    await storage.write(`${path}.damaged`, text);
    await storage.write(path, jsonText(record));
    process.emitWarning(
      `${storage.location}/${path} was damaged: its model was asked again, and what was there is in ${path}.damaged`,
    );
    return record;
  });
}

/** The judges' replies to one answer: an object for each. Empty if there is no folder. Damaged ones are left out. */
export async function readJudgeReplies(
  storage: ObjectStorage,
  folder: string,
): Promise<readonly JudgeReply[]> {
  const names = await accessingFiles(`${folder} cannot be read`, () => storage.list(folder));
  const replies = names
    .filter((name) => name.endsWith('.judge.json'))
    .map((name) => readPaidRecord(storage, `${folder}/${name}`, judgeReplySchema));
  return (await Promise.all(replies)).filter((reply) => reply !== null);
}

/** Keeps the first reply to a request, and resolves to the reply that is stored. */
export const saveJudgeReply = (
  storage: ObjectStorage,
  folder: string,
  reply: JudgeReply,
): Promise<JudgeReply> =>
  keepPaidRecord(storage, `${folder}/${judgeReplyName(reply)}`, reply, judgeReplySchema);

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
