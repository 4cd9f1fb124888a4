import type { ServiceName, ServicesRecord } from '../../domain/services.js';
import {
  isAlive,
  systemProcessTable,
  readServicesFile,
  servicesFileOf,
} from '../../storage/services.js';

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
