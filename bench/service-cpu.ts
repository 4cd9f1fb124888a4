import { serviceNameSchema, type ServiceName } from '../domain/services.js';
import { servicesOf } from './chaos/victims.js';
import { cpuMsOf } from './cpu-time.js';

/** What the embedded services of a home have computed so far, in milliseconds; a worker's DuckDB processes are its own. */
export function serviceCpuMs(home: string): Readonly<Record<ServiceName, number>> {
  const served = servicesOf(home);
  if (served === null) throw new Error(`No services run for ${home}.`);
  const cpuMs = (name: ServiceName): number =>
    served.services.flatMap((each) => (each.name === name ? [cpuMsOf(each.pid)] : []))[0] ?? 0;
  return Object.fromEntries(serviceNameSchema.options.map((name) => [name, cpuMs(name)])) as Record<
    ServiceName,
    number
  >; // a key for each name
}
