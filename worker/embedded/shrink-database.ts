import { rm } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { sizeText } from '../../domain/formats/text.js';
import { databaseUse } from '../../storage/temporal-database.js';

/** Less is kept for what the next runs write. */
const leastFreeBytes = 16 * 2 ** 20;
const leastFreeShare = 0.25;

/** Pages moved at once, in some 20 ms. */
const stepPages = 500;
/** Pages are moved from the end of the file to its holes: with SQLite's own 2 MB each would be read from the disk again. */
const cacheKilobytes = 64_000;
/** The start of the services waits no longer. What is left is for the next start. */
const longestMs = 20_000;

interface ShrinkOptions {
  readonly onStep: (text: string) => void;
  readonly signal: AbortSignal;
  /** @defaultValue those above */
  readonly leastBytes?: number;
}

/**
 * Gives the free pages of the server's database back to the disk, where they are many. Only while no server runs: this
 * library knows no locks of other processes. A kill leaves a database that the server opens. What fails is said as a step,
 * since a large file keeps nobody from working.
 */
export async function shrinkDatabase(path: string, options: ShrinkOptions): Promise<void> {
  const { onStep, signal, leastBytes = leastFreeBytes } = options;
  const before = await databaseUse(path);
  if (before === null || before.freeBytes < leastBytes) return;
  if (before.freeBytes < leastFreeShare * before.bytes) return;
  onStep(`giving ${sizeText(before.freeBytes)} of Temporal's database back to the disk`);
  try {
    await freePages(path, signal);
  } catch (error) {
    onStep(`Temporal's database stays as large as it is: ${String(error)}`);
  }
}

async function freePages(path: string, signal: AbortSignal): Promise<void> {
  // Loaded only here: most starts do not need it.
  const { default: sqlite } = await import('node-sqlite3-wasm');
  // Of a process that was killed here. The server has locks of another kind.
  await rm(`${path}.lock`, { recursive: true, force: true });
  const database = new sqlite.Database(path, { fileMustExist: true });
  try {
    // The log of a server needs shared memory, which this library does not have, unless one connection has the file alone.
    for (const pragma of ['locking_mode = EXCLUSIVE', `cache_size = -${cacheKilobytes}`])
      database.all(`PRAGMA ${pragma}`);
    const until = performance.now() + longestMs;
    const free = (): number => Number(database.get('PRAGMA freelist_count')?.['freelist_count']);
    for (let left = free(); left > 0;) {
      if (signal.aborted || performance.now() > until) return;
      database.exec(`PRAGMA incremental_vacuum(${stepPages})`);
      const now = free();
      // A database that was made without `auto_vacuum` frees nothing.
      if (now >= left) throw new Error('it was made without auto_vacuum');
      left = now;
      await turn();
    }
  } finally {
    database.close();
    // About a log that is no more. The server makes it anew.
    await rm(`${path}-shm`, { force: true });
  }
}
