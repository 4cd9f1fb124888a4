import { randomUUID } from 'node:crypto';
import {
  access,
  constants,
  mkdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordedProcessSchema, type RecordedProcess } from '../../domain/services.js';
import { isAlive, systemProcessTable, type ProcessTable } from '../../storage/services.js';
import { EmbeddedFailure, type SetupContext } from './setup-context.js';

interface LockOptions {
  readonly signal: AbortSignal;
  /** Called once, if another live process holds the lock. */
  readonly onWait: (ownerPid: number) => void;
  readonly table?: ProcessTable;
}

const pollMs = 200;
const breakerLifetimeMs = 10_000;

/** Runs `action` while this process alone holds the lock folder at `path`; a dead holder's lock is taken over. */
export async function withLock<T>(
  path: string,
  { signal, onWait, table = systemProcessTable }: LockOptions,
  action: () => Promise<T>,
): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  let reported = false;
  while (!(await tryLock(path, table))) {
    const owner = await readOwner(path);
    if (owner && !isAlive(owner, table)) await breakLock(path, owner);
    else {
      if (owner && !reported) onWait(owner.pid);
      reported ||= owner !== undefined;
      await sleep(pollMs, undefined, { signal });
    }
  }
  try {
    return await action();
  } finally {
    await removeLock(path);
  }
}

/** Renames the folder before it deletes its contents: another process could take the lock while the folder is empty. */
async function removeLock(path: string): Promise<void> {
  const removed = `${path}.${randomUUID()}`;
  await rename(path, removed);
  await rm(removed, { recursive: true, force: true });
}

/** Renames a folder that already holds `owner.json`, so that a lock always has an owner. */
async function tryLock(path: string, table: ProcessTable): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  const identity = table(process.pid);
  const owner: RecordedProcess = {
    pid: process.pid,
    startTime: identity?.startTime ?? 'unknown',
    commandMark: identity?.command ?? 'node',
  };
  await mkdir(draft);
  await writeFile(join(draft, 'owner.json'), JSON.stringify(owner));
  try {
    await rename(draft, path);
    return true;
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (isErrno(error, 'ENOTEMPTY', 'EEXIST')) return false;
    throw error;
  }
}

async function readOwner(path: string): Promise<RecordedProcess | undefined> {
  try {
    const text = await readFile(join(path, 'owner.json'), 'utf8');
    return recordedProcessSchema.parse(JSON.parse(text));
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Removes the lock of a dead process. A second lock, and a second check of the owner, let only one waiter do so. */
async function breakLock(path: string, dead: RecordedProcess): Promise<void> {
  const breaker = `${path}.breaking`;
  try {
    await mkdir(breaker);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
    const age = Date.now() - (await stat(breaker).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs;
    if (age > breakerLifetimeMs) await rmdir(breaker).catch(() => undefined);
    else await sleep(pollMs);
    return;
  }
  try {
    const owner = await readOwner(path);
    if (owner?.pid === dead.pid && owner.startTime === dead.startTime) await removeLock(path);
  } finally {
    await rmdir(breaker);
  }
}

function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    codes.includes(error.code)
  );
}

/**
 * Lets one process at a time, of all on this machine, fetch `engine` into the cache folder.
 * @throws EmbeddedFailure when the folder cannot be written to.
 */
export async function withCacheLock<T>(
  { cacheFolder, onStep, signal }: SetupContext,
  engine: string,
  action: () => Promise<T>,
): Promise<T> {
  try {
    await mkdir(cacheFolder, { recursive: true });
    await access(cacheFolder, constants.W_OK);
  } catch (error) {
    throw new EmbeddedFailure(
      `The cache folder ${cacheFolder} cannot be written to: make it writable, or set TURNWISE_CACHE to one that is.`,
      2,
      { cause: error },
    );
  }
  const lock = join(cacheFolder, `${engine.toLowerCase().replace(' ', '-')}.lock`);
  const onWait = (pid: number): void =>
    onStep(`${engine}: waiting for process ${pid}, which is fetching it`);
  return withLock(lock, { signal, onWait }, action);
}
