import { readFileSync } from 'node:fs';
import type { ServiceName } from '../../domain/services.js';
import { servicesOf } from '../chaos/kill-service.js';

/** Memory of a process in MiB: what it has now (`VmRSS`), or had at most (`VmHWM`). Null on a system without /proc. */
export function memoryMibOf(pid: number, kind: 'VmRSS' | 'VmHWM'): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const [, kib] = new RegExp(`^${kind}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
    return kib === undefined ? null : Number(kib) / 1024;
  } catch {
    return null;
  }
}

/** The same of an embedded service of a home. Null also if there is none. */
export function serviceMemoryMib(
  home: string,
  service: ServiceName,
  kind: 'VmRSS' | 'VmHWM',
): number | null {
  const found = servicesOf(home)?.services.findLast(({ name }) => name === service);
  return found === undefined ? null : memoryMibOf(found.pid, kind);
}
