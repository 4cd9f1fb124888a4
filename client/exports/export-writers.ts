import type { ExportFormat } from '../../domain/exports/export-formats.js';
import type { RunExport } from './run-export.js';
import { writeInspectLog } from './write-inspect-log.js';
import { writeResultTable } from './write-result-table.js';
import { writeTraces } from './write-traces.js';

/** How each format is written. They return the name of the file. */
export const exportWriters: Readonly<Record<ExportFormat, (run: RunExport) => Promise<string>>> = {
  csv: (run) => writeResultTable(run, 'csv'),
  parquet: (run) => writeResultTable(run, 'parquet'),
  inspect: writeInspectLog,
  otel: writeTraces,
};
