import { accessSync, constants, existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordedProcess, RecordedService, ServiceName } from '../../domain/services.js';
import {
  isAlive,
  judgeRecord,
  systemProcessTable,
  createServicesFile,
  readServicesFile,
  servicesFileOf,
  type ProcessTable,
  type ServicesFile,
} from '../../storage/services.js';
import { signalGroup } from '../adapters/graph/run-program.js';
import { withLock } from './lock.js';
import { EmbeddedFailure } from './setup-context.js';

/** TURNWISE_HOME, where the embedded services keep their state. */
export interface Home {
  readonly path: string;
  readonly servicesFile: string;
  /** The last addresses of the services. */
  readonly addressesFile: string;
  readonly lock: string;
  readonly logPath: (of: ServiceName | 'supervisor') => string;
}

export function homeAt(folder: string): Home {
  const path = resolve(folder);
  return {
    path,
    servicesFile: servicesFileOf(path),
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

/** Node's recursive mkdir never returns under /proc, so the folders are made one by one. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(path)) throw error;
  }
}

/** Whether `openHome` could succeed. Makes nothing. */
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

/** Keeps the logs of the previous session, and deletes older ones. */
function rotateLogs({ logPath }: Home): void {
  for (const name of ['temporal', 'milvus', 'worker', 'supervisor'] as const) {
    const path = logPath(name);
    if (existsSync(path)) renameSync(path, path.replace(/\.log$/, '.previous.log'));
  }
}

export type Claim =
  | { readonly kind: 'occupied'; readonly supervisorPid: number }
  | { readonly kind: 'claimed'; readonly servicesFile: ServicesFile };

interface Claimant {
  readonly supervisor: RecordedProcess;
  readonly onStep: (text: string) => void;
  readonly signal: AbortSignal;
  readonly table?: ProcessTable;
}

const pollMs = 200;

/**
 * Makes this supervisor the only one of `home`. It ends services that a dead supervisor has left running, and waits for a
 * supervisor that is stopping.
 */
export async function claimHome(home: Home, claimant: Claimant): Promise<Claim> {
  const { onStep, signal } = claimant;
  for (let reported = false; ; reported = true) {
    const attempt = await tryClaim(home, claimant);
    if (attempt.kind !== 'stopping') return attempt;
    if (!reported)
      onStep(`waiting for process ${attempt.supervisorPid}, which is stopping its services`);
    await sleep(pollMs, undefined, { signal });
  }
}

type Attempt = Claim | { readonly kind: 'stopping'; readonly supervisorPid: number };

async function tryClaim(home: Home, claimant: Claimant): Promise<Attempt> {
  const { supervisor, onStep, signal, table = systemProcessTable } = claimant;
  const onWait = (pid: number): void => onStep(`waiting for process ${pid}, which is starting too`);
  return withLock(home.lock, { signal, onWait, table }, async (): Promise<Attempt> => {
    const former = readServicesFile(home.servicesFile);
    const found = judgeRecord(former, table);
    if (found.kind === 'supervised') {
      const kind = former?.kind === 'stopping' ? 'stopping' : 'occupied';
      return { kind, supervisorPid: found.supervisorPid };
    }
    if (found.kind === 'orphaned') {
      for (const orphan of found.orphans.toReversed()) {
        onStep(
          `stopping ${orphan.name} (pid ${orphan.pid}), left running by a supervisor that died`,
        );
        await stopOrphan(orphan, table);
      }
    }
    rotateLogs(home);
    const servicesFile = createServicesFile(home.servicesFile, supervisor);
    return { kind: 'claimed', servicesFile };
  });
}

const graceMs = 10_000;
const orphanPollMs = 50;

/** Ends an orphan with SIGTERM, and after ten seconds with SIGKILL. */
async function stopOrphan(orphan: RecordedService, table: ProcessTable): Promise<void> {
  signalGroup(orphan.pid, 'SIGTERM');
  for (let waitedMs = 0; waitedMs < graceMs; waitedMs += orphanPollMs) {
    if (!isAlive(orphan, table)) return;
    await sleep(orphanPollMs);
  }
  signalGroup(orphan.pid, 'SIGKILL');
  while (isAlive(orphan, table)) await sleep(orphanPollMs);
}
