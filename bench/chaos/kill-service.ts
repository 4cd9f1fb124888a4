import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  servicesRecordSchema,
  type ServiceName,
  type ServicesRecord,
} from '../../domain/services.js';
import { systemProcessTable } from '../../storage/services/process-table.js';

/** The services of a home; null if none run. */
export function servicesOf(home: string): ServicesRecord | null {
  try {
    return servicesRecordSchema.parse(
      JSON.parse(readFileSync(join(home, 'services.json'), 'utf8')),
    );
  } catch {
    return null;
  }
}

/** Sends SIGKILL to a service of a home. Returns false if it is not running, for example during its restart. */
export function killService(home: string, name: ServiceName): boolean {
  const service = servicesOf(home)?.services.findLast((other) => other.name === name);
  if (service === undefined) return false;
  // The system may have given the process id to another process.
  if (systemProcessTable(service.pid)?.startTime !== service.startTime) return false;
  return kill(service.pid);
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
