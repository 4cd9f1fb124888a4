import { z } from 'zod';
import { posix } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { unlessDamaged } from '../activities/ports/run-files.js';
import { jsonIn } from '../domain/formats/json.js';
import type { RunId } from '../domain/ids.js';
import { datasetFile, isPack, packFile } from '../domain/runs/run-manifest.js';
import { readText, type ObjectVersion, type ObjectStorage } from './objects.js';
import { ParsedCache, UnchangedFiles } from './unchanged-files.js';
import type { RunTexts } from './runs/run-texts.js';

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

/** How much of packs stays in memory, as they are stored: they hold five times as much. */
const cachedBytes = 4 * 2 ** 20;

/** A line of a pack: a record, and the name of the object that it was. */
const packedSchema = z.object({ name: z.string(), record: z.unknown() });

type Packed = ReadonlyMap<string, string>;

/**
 * Records in folders, each an object of its own at first. When the folder is complete, one object takes the place of all.
 * A record stands whether it is packed or not, and none is ever replaced.
 */
export class PackedRecords {
  readonly #packs: UnchangedFiles;

  constructor(private readonly storage: ObjectStorage) {
    this.#packs = new UnchangedFiles({
      maxBytes: cachedBytes,
      versionOf: (path) => storage.version(path),
    });
  }

  /** The text of a record; null if there is none. */
  async text(folder: string, name: string): Promise<string | null> {
    // A pack first: an object may be of a process that came late and did not see the pack.
    return (await this.#packed(folder)).get(name) ?? readText(this.storage, `${folder}/${name}`);
  }

  /** The names of all records of a folder, and of what else is in it. */
  async names(folder: string): Promise<readonly string[]> {
    const names = await this.storage.list(folder);
    if (!names.some(isPack)) return names;
    return [...new Set([...names, ...(await this.#packed(folder)).keys()])];
  }

  /** Stores a record unless there is one. Resolves to the text of the one that was there, null if there was none. */
  async create(folder: string, name: string, text: string): Promise<string | null> {
    const path = `${folder}/${name}`;
    if (!(await this.storage.create(path, text))) {
      const stored = await this.text(folder, name);
      if (stored !== null) return stored;
      // As on a network share: another machine has created it, and this one does not see it yet.
      throw new Error(`${path} is there, and cannot be read yet`);
    }
    // A process that was given up may come so late that the record of its successor is packed and its object removed.
    const packed = (await this.#packed(folder)).get(name);
    if (packed === undefined) return null;
    await this.storage.remove(path);
    return packed;
  }

  /**
   * Puts the records of a folder into one object, and removes theirs. A crash in between leaves some records twice, and a
   * later call packs what was added since. @param isRecord - by the name of an object
   */
  async pack(folder: string, isRecord: (name: string) => boolean): Promise<void> {
    const names = await this.storage.list(folder);
    const records = await Promise.all(
      names.filter(isRecord).map((name) => this.#part(folder, name)),
    );
    // What is damaged stays as it is, for whoever reads it to say so.
    const whole = records.filter(({ record }) => record !== undefined);
    if (whole.length === 0) return;
    const text = whole
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((each) => `${JSON.stringify(each)}\n`)
      .join('');
    const next = packFile(1 + names.filter(isPack).length);
    const isNew = await this.storage.create(`${folder}/${next}`, await promisify(gzip)(text));
    // Another process packs the same records.
    if (!isNew) return;
    await Promise.all(whole.map(({ name }) => this.storage.remove(`${folder}/${name}`)));
  }

  async #part(folder: string, name: string): Promise<z.infer<typeof packedSchema>> {
    const text = await readText(this.storage, `${folder}/${name}`);
    return { name, record: text === null ? undefined : jsonIn(text) };
  }

  /** The records of all packs of a folder. The first one with a name stands. */
  async #packed(folder: string): Promise<Packed> {
    const all = new Map<string, string>();
    for (let number = 1; ; number += 1) {
      const pack = await this.#readPack(`${folder}/${packFile(number)}`);
      if (pack === null) return all;
      for (const [name, text] of pack) if (!all.has(name)) all.set(name, text);
    }
  }

  #readPack(path: string): Promise<Packed | null> {
    return this.#packs.read(path, async () => {
      const bytes = await this.storage.read(path);
      if (bytes === null) return null;
      const lines = (await promisify(gunzip)(bytes)).toString('utf8').trimEnd().split('\n');
      const records = lines.map((line) => packedSchema.parse(jsonIn(line)));
      return new Map(records.map(({ name, record }) => [name, JSON.stringify(record)]));
    });
  }
}
