import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import {
  serviceAddressesSchema,
  servicesRecordSchema,
  type RecordedProcess,
  type RecordedService,
  type ServiceAddresses,
  type ServicesRecord,
} from '../../domain/services.js';

/** The record at `path`; undefined when there is none, or none that can be read. */
export function readServicesFile(path: string): ServicesRecord | undefined {
  try {
    return servicesRecordSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** The record of one supervisor's services, kept true while they come and go. */
export interface ServicesFile {
  readonly spawned: (service: RecordedService) => void;
  readonly ready: (addresses: ServiceAddresses) => void;
  readonly stopping: () => void;
  readonly remove: () => void;
}

export function createServicesFile(path: string, supervisor: RecordedProcess): ServicesFile {
  let record: ServicesRecord = { kind: 'starting', supervisor, services: [] };
  const replace = (next: ServicesRecord): void => {
    record = next;
    writeWhole(path, next);
  };
  replace(record);
  return {
    spawned: (service) => {
      const others = record.services.filter(({ name }) => name !== service.name);
      replace({ ...record, services: [...others, service] });
    },
    ready: (addresses) => replace({ ...record, kind: 'ready', ...addresses }),
    stopping: () => replace({ ...record, kind: 'stopping' }),
    remove: () => rmSync(path, { force: true }),
  };
}

/** Where the services listened last; undefined before the first time. */
export function readAddresses(path: string): ServiceAddresses | undefined {
  try {
    return serviceAddressesSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

export const writeAddresses = (path: string, addresses: ServiceAddresses): void =>
  writeWhole(path, addresses);

/** In one step: a reader sees the old record or the new one, never half of one. */
function writeWhole(path: string, record: ServicesRecord | ServiceAddresses): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(record, undefined, 2)}\n`);
  renameSync(draft, path);
}
