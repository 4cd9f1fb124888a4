import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { workerProgram, packageRoot } from '../../client/services/programs.js';
import type { ServiceName, ServicesRecord } from '../../domain/services.js';
import {
  isAlive,
  systemProcessTable,
  readServicesFile,
  servicesFileOf,
} from '../../storage/services.js';

export interface Command {
  readonly child: ChildProcess;
  /** Resolves to the exit status; null if a signal ended the process. */
  readonly ended: Promise<number | null>;
  /** The end of stdout and stderr, for error messages. */
  readonly lastOutput: () => string;
}

/** Starts `turnwise` in its own process group: killing `-pid` also kills what it has started. */
export function turnwise(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): Command {
  const child = spawn(process.execPath, [join(packageRoot, 'bin/turnwise.js'), ...args], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  const append = (data: Buffer): void => {
    output = (output + data.toString()).slice(-4000);
  };
  child.stdout.on('data', append);
  child.stderr.on('data', append);
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', (status) => resolve(status));
  });
  return { child, ended, lastOutput: () => output };
}

/** Waits for the end of a command. Throws what it has said last if it fails. */
export async function succeeded({ ended, lastOutput }: Command): Promise<void> {
  if ((await ended) !== 0) throw new Error(lastOutput());
}

/** Starts a worker directly, without the supervising `turnwise worker` command, so that one kill ends it. */
export const spawnWorker = (
  home: string,
  addresses: { readonly temporalAddress: string; readonly milvusAddress: string },
  settings: Readonly<Record<string, string>> = {},
): ChildProcess =>
  spawn(process.execPath, [workerProgram('worker')], {
    env: {
      ...process.env,
      ...settings,
      TURNWISE_HOME: home,
      TEMPORAL_ADDRESS: addresses.temporalAddress,
      MILVUS_ADDRESS: addresses.milvusAddress,
    },
    stdio: 'ignore',
  });

/** The services of a home; null if none run. */
export const servicesOf = (home: string): ServicesRecord | null =>
  readServicesFile(servicesFileOf(home)) ?? null;

/** Sends SIGKILL to a service of a home. Returns false if it is not running, for example during its restart. */
export function killService(home: string, name: ServiceName): boolean {
  const service = servicesOf(home)?.services.findLast((other) => other.name === name);
  // The system may have given the process id to another process.
  return service !== undefined && isAlive(service, systemProcessTable) && kill(service.pid);
}

/**
 * Sends SIGKILL. Returns false if there is no such process.
 * @param pid - negative for a whole process group
 */
export function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
