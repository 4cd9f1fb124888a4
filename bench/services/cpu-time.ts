import { readdirSync, readFileSync } from 'node:fs';
import { serviceNameSchema, type ServiceName } from '../../domain/services.js';
import { servicesOf } from '../chaos/kill-service.js';

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

function processes(): ReadonlyMap<number, { readonly parent: number; readonly cpuMs: number }> {
  const table = new Map<number, { readonly parent: number; readonly cpuMs: number }>();
  for (const entry of entriesOf('/proc')) {
    const stat = /^\d+$/.test(entry) ? textOf(`/proc/${entry}/stat`) : null;
    if (stat === null) continue;
    // The process name stands in brackets and may contain spaces and brackets. After it come the state, the parent, ten
    // other fields, and the user and system time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    table.set(Number(entry), { parent: Number(fields[1]), cpuMs: ticks * tickMs });
  }
  return table;
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Null if the process has ended since it was listed. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** The CPU time of each embedded service of a home, in milliseconds. The worker's includes its DuckDB processes. */
export function serviceCpuMs(home: string): Readonly<Record<ServiceName, number>> {
  const record = servicesOf(home);
  if (record === null) throw new Error(`No services run for ${home}.`);
  const cpuMs = (name: ServiceName): number => {
    const service = record.services.find((each) => each.name === name);
    return service === undefined ? 0 : cpuMsOf(service.pid);
  };
  return Object.fromEntries(serviceNameSchema.options.map((name) => [name, cpuMs(name)])) as Record<
    ServiceName,
    number
  >; // a key for each name
}
