import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  serviceAddressesSchema,
  servicesRecordSchema,
  type RecordedProcess,
  type RecordedService,
  type ServiceAddresses,
  type ServicesRecord,
  type Supervision,
} from '../domain/services.js';

/** The record at `path`; undefined if there is none, or if it cannot be read. */
export function readServicesFile(path: string): ServicesRecord | undefined {
  try {
    return servicesRecordSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** The record of one supervisor's services, updated when they start and stop. */
export interface ServicesFile {
  readonly spawned: (service: RecordedService) => void;
  /** @param storage - of the worker */
  readonly ready: (addresses: ServiceAddresses, storage: string) => void;
  readonly stopping: () => void;
  readonly remove: () => void;
}

export function createServicesFile(path: string, supervisor: RecordedProcess): ServicesFile {
  let record: ServicesRecord = { kind: 'starting', supervisor, services: [] };
  const replace = (next: ServicesRecord): void => {
    record = next;
    writeWhole(path, next);
  };
  replace(record);
  return {
    spawned: (service) => {
      const others = record.services.filter(({ name }) => name !== service.name);
      replace({ ...record, services: [...others, service] });
    },
    ready: (addresses, storage) => replace({ ...record, kind: 'ready', ...addresses, storage }),
    stopping: () => replace({ ...record, kind: 'stopping' }),
    remove: () => rmSync(path, { force: true }),
  };
}

/** The last addresses of the services; undefined if they have never run. */
export function readAddresses(path: string): ServiceAddresses | undefined {
  try {
    return serviceAddressesSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

export const writeAddresses = (path: string, addresses: ServiceAddresses): void =>
  writeWhole(path, addresses);

/** Atomic: a reader sees the old record or the new one. */
function writeWhole(path: string, record: ServicesRecord | ServiceAddresses): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(record, undefined, 2)}\n`);
  renameSync(draft, path);
}

/** Where the supervisor of a TURNWISE_HOME records its services. */
export const servicesFileOf = (home: string): string => join(resolve(home), 'services.json');

/** Which supervisor runs the services of a TURNWISE_HOME, if any. */
export function supervisionOf(home: string, table: ProcessTable = systemProcessTable): Supervision {
  const record = readServicesFile(servicesFileOf(home));
  const found = judgeRecord(record, table);
  switch (found.kind) {
    case 'none':
      return { kind: 'none' };
    case 'supervised':
      return record ? { kind: 'supervised', record } : { kind: 'none' };
    case 'orphaned':
      return { kind: 'orphaned', names: found.orphans.map(({ name }) => name) };
  }
}

/** Distinguishes a process from a later one with the same pid. */
export interface ProcessIdentity {
  readonly startTime: string;
  readonly command: string;
}

/** Looks up live processes. A zombie counts as dead, since some containers never reap it. */
export type ProcessTable = (pid: number) => ProcessIdentity | undefined;

/** Parses `/proc/PID/stat`. The name in parentheses may contain spaces and parentheses. */
export function parseProcStat(
  stat: string,
): { readonly state: string; readonly startTicks: string } | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields[0], fields[19]];
  return state && startTicks ? { state, startTicks } : undefined;
}

/** Parses a line of `ps -o stat=,lstart=,command=` in the C locale. */
export function parsePsLine(line: string): ProcessIdentity | undefined {
  const match = /^\s*(\S+)\s+(\w{3} \w{3} +\d+ [\d:]{8} \d{4})\s+(.*\S)\s*$/.exec(line);
  const [, state, startTime, command] = match ?? [];
  return state && startTime && command && !state.startsWith('Z')
    ? { startTime, command }
    : undefined;
}

// The start time counts ticks since the boot. The boot's id tells processes before and after a reboot apart.
const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

function fromProc(pid: number): ProcessIdentity | undefined {
  try {
    const stat = parseProcStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    if (!stat || stat.state === 'Z' || stat.state === 'X') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { startTime: `${bootId()}/${stat.startTicks}`, command };
  } catch {
    return undefined;
  }
}

function fromPs(pid: number): ProcessIdentity | undefined {
  try {
    const line = execFileSync('ps', ['-ww', '-o', 'stat=,lstart=,command=', '-p', String(pid)], {
      // The start time is compared as a text, and may have been recorded in another time zone.
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return parsePsLine(line);
  } catch {
    return undefined;
  }
}

/** Synchronous, so that a service is recorded in the same tick in which it is started. */
export const systemProcessTable: ProcessTable = process.platform === 'linux' ? fromProc : fromPs;

/** Whether the recorded process still runs, and not another one with its pid. */
export function isAlive(recorded: RecordedProcess, table: ProcessTable): boolean {
  const found = table(recorded.pid);
  return found?.startTime === recorded.startTime && found.command.includes(recorded.commandMark);
}

/** The state of the recorded services. `orphans` still run although their supervisor is dead. */
type FormerServices =
  | { readonly kind: 'none' }
  | { readonly kind: 'supervised'; readonly supervisorPid: number }
  | { readonly kind: 'orphaned'; readonly orphans: readonly RecordedService[] };

export function judgeRecord(
  record: ServicesRecord | undefined,
  table: ProcessTable,
): FormerServices {
  if (!record) return { kind: 'none' };
  if (isAlive(record.supervisor, table)) {
    return { kind: 'supervised', supervisorPid: record.supervisor.pid };
  }
  const orphans = record.services.filter((service) => isAlive(service, table));
  return orphans.length > 0 ? { kind: 'orphaned', orphans } : { kind: 'none' };
}
