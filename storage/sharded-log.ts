import type { IsCurrent, KeyedLine, KeyOfLine } from './append-once-file.js';
import { linesOf } from './run-lines.js';
import { readText, type LineLog, type LineReader, type ObjectStorage } from './objects.js';

export interface ListedObject {
  readonly name: string;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly storedAtMs: number;
}

/** What a log needs of an object store. */
export interface ShardStorage extends Pick<ObjectStorage, 'read' | 'create' | 'remove'> {
  /** The objects directly in a folder. */
  readonly objects: (folder: string) => Promise<readonly ListedObject[]>;
}

/** The lines that were appended as number `from` to number `to`, in one object. */
interface Shard {
  readonly name: string;
  readonly version: string;
  readonly from: number;
  readonly to: number;
}

/** A shard that was read. */
interface Loaded {
  readonly text: string;
  /** Null until they were asked for. Null is among them if a line is damaged. */
  keys: ReadonlySet<string | null> | null;
}

interface Contents {
  readonly shards: readonly Shard[];
  /** Those whose lines a larger shard holds as well: a crash came between creating that one and removing these. */
  readonly covered: readonly Shard[];
}

/** So many shards of equal width become one, so that a log of a million lines has a few dozen objects. */
const mergedShards = 16;
/** Larger shards stay as they are. */
const largestMergedBytes = 8 * 2 ** 20;

/**
 * A log as objects in the folder `path`, which DuckDB reads as `path/*.jsonl`. Each append creates a shard under the next
 * number, and fails if another process has created it: no key is there twice, even if a process that was given up goes on.
 * No shard ever changes; one with a damaged line is replaced by one without. One that replaces others is named by the range
 * of their numbers, and a reader leaves out every shard whose range is inside that of another.
 */
export function createShardedLog(storage: ShardStorage, path: string, keyOf: KeyOfLine): LineLog {
  let lastWrite: Promise<unknown> = Promise.resolve();
  /** By name and version. */
  let known: ReadonlyMap<string, Loaded> = new Map();

  function oneAtATime(write: () => Promise<void>): Promise<void> {
    const writing = lastWrite.then(write);
    lastWrite = writing.catch(() => undefined);
    return writing;
  }

  async function contents(): Promise<Contents> {
    const all = (await storage.objects(path)).flatMap(shardOf);
    all.sort((a, b) => a.from - b.from || b.to - a.to);
    const shards: Shard[] = [];
    const covered: Shard[] = [];
    for (const shard of all) (shard.to > (shards.at(-1)?.to ?? 0) ? shards : covered).push(shard);
    return { shards, covered };
  }

  /** The shards and what is in them. One may be replaced between being listed and being read: then all are listed again. */
  async function read(): Promise<{ readonly found: Contents; readonly loaded: readonly Loaded[] }> {
    for (;;) {
      const found = await contents();
      const all = await Promise.all(found.shards.map(load));
      const loaded = all.filter((shard) => shard !== null);
      if (loaded.length < all.length) continue;
      const named = loaded.map((each, index) => [keyOfShard(found.shards[index]), each] as const);
      known = new Map(named);
      return { found, loaded };
    }
  }

  async function load(shard: Shard): Promise<Loaded | null> {
    const before = known.get(keyOfShard(shard));
    if (before) return before;
    const text = await readText(storage, `${path}/${shard.name}`);
    return text === null ? null : { text, keys: null };
  }

  const keysOf = (shard: Loaded): ReadonlySet<string | null> =>
    (shard.keys ??= new Set(linesOf(shard.text).map(keyOf)));

  async function append(
    lines: readonly KeyedLine[],
    isCurrent: IsCurrent = () => Promise.resolve(true),
  ): Promise<void> {
    for (;;) {
      const { found, loaded } = await read();
      const keys = loaded.map(keysOf);
      if (keys.some((some) => some.has(null))) {
        const readable = linesOf(textOf(loaded)).filter((line) => keyOf(line) !== null);
        await replaceAll(found.shards, readable.map((line) => `${line}\n`).join(''));
        continue;
      }
      const absent = lines.filter(({ key }) => !keys.some((some) => some.has(key)));
      const current = await Promise.all(absent.map(isCurrent));
      const missing = absent.filter((_, index) => current[index]);
      if (missing.length === 0) return tidy(found);
      const next = (found.shards.at(-1)?.to ?? 0) + 1;
      // Whether this process has created it, or another: the next round sees what is missing then.
      await storage.create(nameOf(next, next), missing.map(({ line }) => `${line}\n`).join(''));
    }
  }

  /** Removes covered shards, and merges the last ones. */
  async function tidy({ covered, shards }: Contents): Promise<void> {
    await Promise.all(covered.map(removeShard));
    const last = shards.slice(-mergedShards);
    const [first] = last;
    if (first === undefined || last.length < mergedShards) return;
    if (last.some((shard) => widthOf(shard) !== widthOf(first))) return;
    const loaded = await Promise.all(last.map(load));
    const whole = loaded.map((shard) => shard?.text ?? '').join('');
    if (loaded.includes(null) || whole.length > largestMergedBytes) return;
    await storage.create(nameOf(first.from, last.at(-1)?.to ?? first.to), whole);
    return tidy(await contents());
  }

  /** Creates a shard that covers all others, and removes these. */
  async function replaceAll(shards: readonly Shard[], text: string): Promise<void> {
    const isNew = await storage.create(nameOf(1, (shards.at(-1)?.to ?? 0) + 1), text);
    if (!isNew) throw new Error(`${path} was changed by another process at the same time`);
    return tidy(await contents());
  }

  const nameOf = (start: number, end: number): string =>
    `${path}/${String(start).padStart(8, '0')}-${String(end).padStart(8, '0')}.jsonl`;

  const removeShard = ({ name }: Shard): Promise<void> => storage.remove(`${path}/${name}`);

  const remove = async (isRemoved: (line: string) => boolean): Promise<void> => {
    const { found, loaded } = await read();
    const kept = linesOf(textOf(loaded)).filter((line) => !isRemoved(line));
    await replaceAll(found.shards, kept.map((line) => `${line}\n`).join(''));
  };

  return {
    append: (lines, isCurrent) => oneAtATime(() => append(lines, isCurrent)),
    remove: (isRemoved) => oneAtATime(() => remove(isRemoved)),
    text: async () => {
      const { loaded } = await read();
      return loaded.length === 0 ? null : textOf(loaded);
    },
    replace: (text) => oneAtATime(async () => replaceAll((await contents()).shards, text)),
    reader: (parse) => createReader(async () => (await read()).loaded, parse),
  };
}

/** Parses a shard once. Its lines count on from the shard before. */
function createReader<T>(
  shards: () => Promise<readonly Loaded[]>,
  parse: (line: string, number: number) => T,
): LineReader<T> {
  const parsed = new WeakMap<Loaded, readonly T[]>();
  return {
    read: async () => {
      const values: T[] = [];
      for (const shard of await shards()) {
        const before = values.length;
        const own =
          parsed.get(shard) ??
          linesOf(shard.text).map((line, index) => parse(line, before + index + 1));
        parsed.set(shard, own);
        for (const value of own) values.push(value);
      }
      return values;
    },
  };
}

const textOf = (shards: readonly Loaded[]): string => shards.map(({ text }) => text).join('');

const widthOf = ({ from, to }: Shard): number => to - from;

const keyOfShard = (shard: Shard | undefined): string => `${shard?.name} ${shard?.version}`;

function shardOf({ name, version }: ListedObject): readonly Shard[] {
  const [, from, to] = /^(\d{8})-(\d{8})\.jsonl$/.exec(name) ?? [];
  return from === undefined || to === undefined
    ? []
    : [{ name, version, from: Number(from), to: Number(to) }];
}
