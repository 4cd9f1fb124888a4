import type { z } from 'zod';
import { jsonIn } from '../domain/formats/json.js';
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
