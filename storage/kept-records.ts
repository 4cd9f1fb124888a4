import { posix } from 'node:path';
import type { z } from 'zod';
import { unlessDamaged } from '../activities/ports/run-files.js';
import type { RunId } from '../domain/ids.js';
import { datasetFile } from '../domain/runs/run-manifest.js';
import type { ObjectVersion } from './objects.js';
import type { PackedRecords } from './packed-records.js';
import { ParsedCache } from './parsed-cache.js';
import type { RunTexts } from './runs/run-texts.js';
import type { UnchangedFiles } from './unchanged-files.js';

/** Programs read records, and each byte counts: many questions have few texts. */
const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

interface KeptRecords {
  /** A record, whether it is packed or not. */
  readonly record: <T>(schema: z.ZodType<T>, run: RunId, file: string) => Promise<T | null>;
  /** A record that the next turns read again. */
  readonly cachedRecord: <T extends object>(
    schema: z.ZodType<T>,
    run: RunId,
    file: string,
  ) => Promise<T | null>;
  /** Keeps a record that is stored already, and resolves to the record that is stored. */
  readonly saveFirst: <T extends object>(
    schema: z.ZodType<T>,
    run: RunId,
    file: string,
    value: T,
  ) => Promise<T>;
  /** The same, and caches what the next turn reads. */
  readonly saveTurn: KeptRecords['saveFirst'];
}

/** Single records of runs. Each is written once. */
export function createKeptRecords(
  packed: PackedRecords,
  texts: RunTexts,
  datasets: UnchangedFiles,
): KeptRecords {
  const records = new ParsedCache<string, object>();
  return { record, cachedRecord, saveFirst, saveTurn };

  /** The name of a record in the cache: another run may get the name of a run that was removed, but not its dataset's version. */
  function cacheKey(run: RunId, file: string, dataset: ObjectVersion | null): string {
    return `${dataset?.version ?? ''} ${texts.pathOf(run, file)}`;
  }

  async function record<T>(schema: z.ZodType<T>, run: RunId, file: string): Promise<T | null> {
    const { dir, base } = posix.parse(file);
    const text = await texts.reading(run, file, () => packed.text(texts.pathOf(run, dir), base));
    return text === null ? null : texts.parsed(schema, run, file, text);
  }

  async function cachedRecord<T extends object>(
    schema: z.ZodType<T>,
    run: RunId,
    file: string,
  ): Promise<T | null> {
    const dataset = await texts.reading(run, datasetFile, () =>
      datasets.version(texts.pathOf(run, datasetFile)),
    );
    const key = cacheKey(run, file, dataset);
    // Of type T, since a file is always read by the same schema.
    const known = records.get(key) as T | undefined;
    if (known) return known;
    const value = await record(schema, run, file);
    if (value === null) return null;
    records.set(key, value, JSON.stringify(value).length);
    return value;
  }

  async function saveFirst<T extends object>(
    schema: z.ZodType<T>,
    run: RunId,
    file: string,
    value: T,
  ): Promise<T> {
    const { dir, base } = posix.parse(file);
    const stored = await texts.writing(run, file, () =>
      packed.create(texts.pathOf(run, dir), base, line(value)),
    );
    if (stored === null) return value;
    const whole = await unlessDamaged(() => texts.parsed(schema, run, file, stored));
    if (whole === null) await texts.save(run, file, line(value));
    return whole ?? value;
  }

  async function saveTurn<T extends object>(
    schema: z.ZodType<T>,
    run: RunId,
    file: string,
    value: T,
  ): Promise<T> {
    const saved = await saveFirst(schema, run, file, value);
    // Whoever saves a turn has read its question. As a record of an older dataset nobody would find it.
    const dataset = datasets.lastVersion(texts.pathOf(run, datasetFile));
    if (dataset !== null) {
      records.set(cacheKey(run, file, dataset), saved, JSON.stringify(saved).length);
    }
    return saved;
  }
}
