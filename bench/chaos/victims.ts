import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  servicesRecordSchema,
  type ServiceName,
  type ServicesRecord,
} from '../../domain/services.js';
import { systemProcessTable } from '../../worker/embedded/process-table.js';

/** Null while nobody serves that home. */
export function servicesOf(home: string): ServicesRecord | null {
  try {
    return servicesRecordSchema.parse(
      JSON.parse(readFileSync(join(home, 'services.json'), 'utf8')),
    );
  } catch {
    return null;
  }
}

/** Kills a service of that home with -9. False where it is not there to be killed, as while it is started again. */
export function killService(home: string, name: ServiceName): boolean {
  const service = servicesOf(home)?.services.findLast((other) => other.name === name);
  if (service === undefined) return false;
  // Its number may have gone to a stranger.
  if (systemProcessTable(service.pid)?.startTime !== service.startTime) return false;
  return kill(service.pid);
}

/** @param pid - negative for a whole process group */
export function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
