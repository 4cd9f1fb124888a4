import { readdirSync, readFileSync } from 'node:fs';

/** Of a clock tick in /proc, on every Linux there is. */
const tickMs = 10;

/** What a process and its children that live have computed so far, in milliseconds; 0 where there is no /proc. */
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
    // The name, which may hold anything, is in brackets; state, parent and ten others come before user and system time.
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

/** Null for a process that has ended meanwhile. */
function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
