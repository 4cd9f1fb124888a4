import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { RecordedProcess, RecordedService, ServicesRecord } from '../../domain/services.js';

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
