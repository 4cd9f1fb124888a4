import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import {
  serviceAddressesSchema,
  servicesRecordSchema,
  type RecordedProcess,
  type RecordedService,
  type ServiceAddresses,
  type ServicesRecord,
} from '../../domain/services.js';

/** The record at `path`; undefined if there is none, or if it cannot be read. */
export function readServicesFile(path: string): ServicesRecord | undefined {
  try {
    return servicesRecordSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** The record of one supervisor's services, updated when they start and stop. */
export interface ServicesFile {
  readonly spawned: (service: RecordedService) => void;
  /** @param storage - of the worker */
  readonly ready: (addresses: ServiceAddresses, storage: string) => void;
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
    ready: (addresses, storage) => replace({ ...record, kind: 'ready', ...addresses, storage }),
    stopping: () => replace({ ...record, kind: 'stopping' }),
    remove: () => rmSync(path, { force: true }),
  };
}

/** The last addresses of the services; undefined if they have never run. */
export function readAddresses(path: string): ServiceAddresses | undefined {
  try {
    return serviceAddressesSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

export const writeAddresses = (path: string, addresses: ServiceAddresses): void =>
  writeWhole(path, addresses);

/** Atomic: a reader sees the old record or the new one. */
function writeWhole(path: string, record: ServicesRecord | ServiceAddresses): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(record, undefined, 2)}\n`);
  renameSync(draft, path);
}
