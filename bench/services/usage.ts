import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { HomeClient } from '../../client/services/home-client.js';
import type { ServiceName } from '../../domain/services.js';
import { servicesOf } from '../chaos/command-line.js';

/** The length of a clock tick in /proc: Linux reports 100 ticks a second to every program. */
const tickMs = 10;

/** The CPU time of a process and its living descendants, in milliseconds; 0 on a system without /proc. */
export function cpuMsOf(pid: number): number {
  const table = processes();
  const own = (id: number): number =>
    (table.get(id)?.cpuMs ?? 0) +
    [...table].reduce((sum, [child, { parent }]) => (parent === id ? sum + own(child) : sum), 0);
  return own(pid);
}

interface ProcessUse {
  readonly parent: number;
  readonly group: number;
  readonly cpuMs: number;
}

/** All processes by their ids; none on a system without /proc. */
export function processes(): ReadonlyMap<number, ProcessUse> {
  const table = new Map<number, ProcessUse>();
  for (const pid of existsSync('/proc') ? readdirSync('/proc').map(Number) : []) {
    const stat = Number.isInteger(pid) ? textOf(`/proc/${pid}/stat`) : '';
    if (stat === '') continue;
    // The process name stands in brackets and may contain spaces and brackets. After it come the state, the parent, the group,
    // nine other fields, and the user and system time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [parent = 0, group = 0] = fields.slice(1).map(Number);
    const ticks = Number(fields[11]) + Number(fields[12]);
    table.set(pid, { parent, group, cpuMs: ticks * tickMs });
  }
  return table;
}

/** Nothing if the process has ended since it was listed. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** CPU time in milliseconds. The worker's includes its DuckDB processes. */
export function serviceCpuMs(home: string): Readonly<Record<ServiceName, number>> {
  const cpuMs = (name: ServiceName): number => {
    const pid = servicePid(home, name);
    return pid === undefined ? 0 : cpuMsOf(pid);
  };
  return { temporal: cpuMs('temporal'), milvus: cpuMs('milvus'), worker: cpuMs('worker') };
}

const servicePid = (home: string, service: ServiceName): number | undefined =>
  servicesOf(home)?.services.findLast(({ name }) => name === service)?.pid;

/** What a process has now (`VmRSS`), or had at most (`VmHWM`). */
type MemoryKind = 'VmRSS' | 'VmHWM';

/** Memory of a process in MiB; 0 on a system without /proc. */
export function memoryMibOf(pid: number, kind: MemoryKind): number {
  const status = textOf(`/proc/${pid}/status`);
  return Number(new RegExp(`^${kind}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1024;
}

/** The same of an embedded service of a home; 0 if there is none. */
export function serviceMemoryMib(home: string, service: ServiceName, kind: MemoryKind): number {
  return memoryMibOf(servicePid(home, service) ?? 0, kind);
}

/** Bytes of each history that a query of Temporal finds: several of a workflow that continued as new. */
export async function historyBytes(client: HomeClient, query: string): Promise<readonly number[]> {
  const bytes: number[] = [];
  const executions = client.workflow.list({ query, pageSize: 1000 });
  for await (const { historySize } of executions) bytes.push(historySize ?? 0);
  return bytes;
}
