import type { IsCurrent, KeyedLine, KeyOfLine } from './append-once-file.js';
import { KeyTable } from './key-table.js';
import {
  readText,
  type LineLog,
  type LineReader,
  type LogTail,
  type ObjectStorage,
} from './objects.js';
import { linesOf } from './runs/run-lines.js';

export interface ListedObject {
  readonly name: string;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly storedAtMs: number;
}

/** What a log needs of an object store. */
interface ShardStorage extends Pick<ObjectStorage, 'read' | 'create' | 'remove'> {
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

/** What stays in memory of a shard that was read. */
interface Known {
  readonly keys: KeyTable;
  readonly isDamaged: boolean;
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
  let known: ReadonlyMap<string, Known> = new Map();

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

  /** Null if another shard has replaced this one meanwhile. */
  const textOf = (shard: Shard): Promise<string | null> =>
    readText(storage, `${path}/${shard.name}`);

  /** What `load` makes of each shard. One may be replaced between being listed and being read: then all are listed again. */
  async function read<T>(
    load: (shard: Shard) => Promise<T | null>,
  ): Promise<{ readonly found: Contents; readonly loaded: readonly T[] }> {
    for (;;) {
      const found = await contents();
      const all: (T | null)[] = [];
      for (const shard of found.shards) all.push(await load(shard));
      const loaded = all.filter((each) => each !== null);
      if (loaded.length === all.length) return { found, loaded };
    }
  }

  async function know(shard: Shard): Promise<Known | null> {
    const before = known.get(keyOfShard(shard));
    if (before) return before;
    const text = await textOf(shard);
    if (text === null) return null;
    const keys = new KeyTable();
    let isDamaged = false;
    for (const line of linesOf(text)) {
      const key = keyOf(line);
      if (key === null) isDamaged = true;
      else keys.add(key);
    }
    return { keys, isDamaged };
  }

  async function readKeys(): Promise<{
    readonly found: Contents;
    readonly loaded: readonly Known[];
  }> {
    const all = await read(know);
    known = new Map(
      all.loaded.map((each, index) => [keyOfShard(all.found.shards[index]), each] as const),
    );
    return all;
  }

  async function append(
    lines: readonly KeyedLine[],
    isCurrent: IsCurrent = () => Promise.resolve(true),
  ): Promise<void> {
    for (;;) {
      const { found, loaded } = await readKeys();
      if (loaded.some(({ isDamaged }) => isDamaged)) {
        await keepOnly((line) => keyOf(line) !== null);
        continue;
      }
      const absent = lines.filter(({ key }) => !loaded.some(({ keys }) => keys.has(key)));
      const current = await Promise.all(absent.map(isCurrent));
      const missing = absent.filter((_, index) => current[index]);
      if (missing.length === 0) return tidy(found);
      const next = (found.shards.at(-1)?.to ?? 0) + 1;
      // Whether this process has created it, or another: the next round sees what is missing then.
      await storage.create(nameOf(next, next), missing.map(({ line }) => `${line}\n`).join(''));
    }
  }

  /** Also replaces the shards if all lines are kept: whoever is about to append has to look again. */
  async function keepOnly(isKept: (line: string) => boolean): Promise<void> {
    const { found, loaded } = await read(textOf);
    const kept = loaded.flatMap(linesOf).filter(isKept);
    await replaceAll(found.shards, kept.map((line) => `${line}\n`).join(''));
  }

  /** Removes covered shards, and merges the last ones. */
  async function tidy({ covered, shards }: Contents): Promise<void> {
    await Promise.all(covered.map(removeShard));
    const last = shards.slice(-mergedShards);
    const [first] = last;
    if (first === undefined || last.length < mergedShards) return;
    if (last.some((shard) => widthOf(shard) !== widthOf(first))) return;
    const loaded = await Promise.all(last.map(textOf));
    const whole = loaded.map((text) => text ?? '').join('');
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

  /** A shard at a time. Where one was replaced meanwhile, the lines that were given already are left out of the others. */
  async function* batches(): AsyncGenerator<readonly string[], void> {
    for (let given = 0, isStale = true; isStale;) {
      isStale = false;
      let before = 0;
      for (const shard of (await contents()).shards) {
        const text = await textOf(shard);
        isStale = text === null;
        if (text === null) break;
        const lines = linesOf(text);
        if (before + lines.length > given) yield lines.slice(Math.max(0, given - before));
        before += lines.length;
        given = Math.max(given, before);
      }
    }
  }

  /** The texts of the last shards, from the end to the beginning. */
  async function tail(wanted: number): Promise<LogTail> {
    for (;;) {
      const { shards } = await contents();
      const texts: string[] = [];
      let bytes = 0;
      for (const shard of shards.toReversed()) {
        const text = bytes < wanted ? await textOf(shard) : null;
        if (text === null) break;
        texts.unshift(text);
        bytes += Buffer.byteLength(text);
      }
      if (bytes < wanted && texts.length < shards.length) continue;
      return { lines: linesOf(texts.join('')), isAll: texts.length === shards.length };
    }
  }

  return {
    append: (lines, isCurrent) => oneAtATime(() => append(lines, isCurrent)),
    remove: (isRemoved) => oneAtATime(() => keepOnly((line) => !isRemoved(line))),
    text: async () => {
      const { loaded } = await read(textOf);
      return loaded.length === 0 ? null : loaded.join('');
    },
    batches,
    tail,
    replace: (text) => oneAtATime(async () => replaceAll((await contents()).shards, text)),
    reader: (parse) => createReader(contents, textOf, parse),
  };
}

/** Parses a shard once. Its lines count on from the shard before. */
function createReader<T>(
  contents: () => Promise<Contents>,
  textOf: (shard: Shard) => Promise<string | null>,
  parse: (line: string, number: number) => T,
): LineReader<T> {
  /** By name and version. */
  let parsed: ReadonlyMap<string, readonly T[]> = new Map();

  async function readOnce(): Promise<readonly T[] | null> {
    const { shards } = await contents();
    const now = new Map<string, readonly T[]>();
    const values: T[] = [];
    for (const shard of shards) {
      const key = keyOfShard(shard);
      const known = parsed.get(key);
      const text = known ? '' : await textOf(shard);
      if (text === null) return null;
      const before = values.length;
      const own = known ?? linesOf(text).map((line, index) => parse(line, before + index + 1));
      now.set(key, own);
      for (const value of own) values.push(value);
    }
    parsed = now;
    return values;
  }

  return {
    read: async () => {
      for (;;) {
        const values = await readOnce();
        if (values) return values;
      }
    },
  };
}

const widthOf = ({ from, to }: Shard): number => to - from;

const keyOfShard = (shard: Shard | undefined): string => `${shard?.name} ${shard?.version}`;

function shardOf({ name, version }: ListedObject): readonly Shard[] {
  const [, from, to] = /^(\d{8})-(\d{8})\.jsonl$/.exec(name) ?? [];
  return from === undefined || to === undefined
    ? []
    : [{ name, version, from: Number(from), to: Number(to) }];
}
