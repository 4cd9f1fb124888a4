import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { jsonIn } from '../domain/formats/json.js';
import { isPack, packFile } from '../domain/runs/run-manifest.js';
import { readText, type ObjectStorage } from './objects.js';
import { UnchangedFiles } from './unchanged-files.js';

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
