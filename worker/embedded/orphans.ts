import { setTimeout as sleep } from 'node:timers/promises';
import type {
  RecordedProcess,
  RecordedService,
  ServicesRecord,
} from '../../domain/services/services-record.js';
import type { ProcessTable } from './process-table.js';

/** Is the recorded process still that process, and not a stranger with a recycled pid? */
export function isAlive(recorded: RecordedProcess, table: ProcessTable): boolean {
  const found = table(recorded.pid);
  return found?.startTime === recorded.startTime && found.command.includes(recorded.commandMark);
}

/** What became of the services on record. `orphans` live on although their supervisor died. */
export type FormerServices =
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

const graceMs = 10_000;
const pollMs = 50;

/** Ends one orphan: asked first, killed when it has not gone after ten seconds. */
export async function stopOrphan(orphan: RecordedService, table: ProcessTable): Promise<void> {
  signalGroup(orphan.pid, 'SIGTERM');
  for (let waitedMs = 0; waitedMs < graceMs; waitedMs += pollMs) {
    if (!isAlive(orphan, table)) return;
    await sleep(pollMs);
  }
  signalGroup(orphan.pid, 'SIGKILL');
  while (isAlive(orphan, table)) await sleep(pollMs);
}

/** Signals a service and its children; services lead a process group of their own. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
