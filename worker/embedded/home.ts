import { accessSync, constants, existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ServiceName } from '../../domain/services/services-record.js';
import { EmbeddedFailure } from './embedded-failure.js';

/** The folder of state, TURNWISE_HOME, where the embedded services keep theirs. */
export interface Home {
  readonly path: string;
  readonly servicesFile: string;
  /** Where the services listened last. */
  readonly addressesFile: string;
  readonly lock: string;
  readonly logPath: (of: ServiceName | 'supervisor') => string;
}

export function homeAt(folder: string): Home {
  const path = resolve(folder);
  return {
    path,
    servicesFile: join(path, 'services.json'),
    addressesFile: join(path, 'addresses.json'),
    lock: join(path, 'services.lock'),
    logPath: (of) => join(path, 'logs', `${of}.log`),
  };
}

/**
 * Makes the folders of a home.
 * @throws EmbeddedFailure when it cannot be written to.
 */
export function openHome(folder: string): Home {
  const home = homeAt(folder);
  try {
    makeFolder(dirname(home.logPath('supervisor')));
    accessSync(home.path, constants.W_OK);
    accessSync(dirname(home.logPath('supervisor')), constants.W_OK);
  } catch (error) {
    throw new EmbeddedFailure(unwritable(home), 2, { cause: error });
  }
  return home;
}

/** Folder by folder: Node's own recursive mkdir never ends under /proc, where nothing can be made. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have been quicker.
    if (!existsSync(path)) throw error;
  }
}

/** Could `openHome` succeed? Looks without making anything. */
export function isWritableHome(folder: string): boolean {
  let nearest = homeAt(folder).path;
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  try {
    accessSync(nearest, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const unwritable = ({ path }: Home): string =>
  `The folder ${path} cannot be written to: make it writable, or set TURNWISE_HOME to one that is.`;

/** Keeps the logs of the session before, and no older ones. */
export function rotateLogs({ logPath }: Home): void {
  for (const name of ['temporal', 'milvus', 'worker', 'supervisor'] as const) {
    const path = logPath(name);
    if (existsSync(path)) renameSync(path, path.replace(/\.log$/, '.previous.log'));
  }
}
