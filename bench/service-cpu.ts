import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  serviceNameSchema,
  servicesRecordSchema,
  type ServiceName,
} from '../domain/services/services-record.js';
import { cpuMsOf } from './cpu-time.js';

/** What the embedded services of a home have computed so far, in milliseconds; a worker's DuckDB processes are its own. */
export function serviceCpuMs(home: string): Readonly<Record<ServiceName, number>> {
  const text = readFileSync(join(home, 'services.json'), 'utf8');
  const { services } = servicesRecordSchema.parse(JSON.parse(text));
  const cpuMs = (name: ServiceName): number =>
    services.flatMap((each) => (each.name === name ? [cpuMsOf(each.pid)] : []))[0] ?? 0;
  return Object.fromEntries(serviceNameSchema.options.map((name) => [name, cpuMs(name)])) as Record<
    ServiceName,
    number
  >; // a key for each name
}
