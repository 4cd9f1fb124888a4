import type { ProcessIdentity, ProcessTable } from '../../../storage/services.js';

/** A process table made of what is given; nothing else lives. */
export function fakeProcessTable(
  processes: Readonly<Record<number, ProcessIdentity>>,
): ProcessTable {
  return (pid) => processes[pid];
}
