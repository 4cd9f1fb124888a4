import { join, resolve } from 'node:path';
import type { Supervision } from '../../domain/services.js';
import { judgeRecord, systemProcessTable, type ProcessTable } from './process-table.js';
import { readServicesFile } from './services-file.js';

/** Where the supervisor of a TURNWISE_HOME records its services. */
export const servicesFileOf = (home: string): string => join(resolve(home), 'services.json');

/** Which supervisor runs the services of a TURNWISE_HOME, if any. */
export function supervisionOf(home: string, table: ProcessTable = systemProcessTable): Supervision {
  const record = readServicesFile(servicesFileOf(home));
  const found = judgeRecord(record, table);
  switch (found.kind) {
    case 'none':
      return { kind: 'none' };
    case 'supervised':
      return record ? { kind: 'supervised', record } : { kind: 'none' };
    case 'orphaned':
      return { kind: 'orphaned', names: found.orphans.map(({ name }) => name) };
  }
}
