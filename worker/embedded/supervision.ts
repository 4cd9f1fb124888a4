import type { Supervision } from '../../domain/services/inspection.js';
import type { Home } from './home.js';
import { judgeRecord } from './orphans.js';
import { systemProcessTable, type ProcessTable } from './process-table.js';
import { readServicesFile } from './services-file.js';

/** Who serves `home` at this moment. */
export function supervisionOf(home: Home, table: ProcessTable = systemProcessTable): Supervision {
  const record = readServicesFile(home.servicesFile);
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
