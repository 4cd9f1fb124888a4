import { access, constants, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedFailure } from './embedded-failure.js';
import { withLock } from './lock.js';
import type { SetupContext } from './setup-context.js';

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
