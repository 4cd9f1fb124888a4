import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  resultColumns,
  resultRows,
  spreadsheetRow,
  textColumns,
} from '../../domain/exports/result-table.js';
import { preview } from '../../domain/preview.js';
import { workerProgram } from '../programs.js';
import { UserError } from '../user-error.js';
import type { RunExport } from './run-export.js';
import { wholeFile } from '../whole-file.js';

const run = promisify(execFile);

/** Writes results joined with scores. Returns the file's name. */
export async function writeResultTable(
  { files, out }: RunExport,
  format: 'csv' | 'parquet',
): Promise<string> {
  const name = `results.${format}`;
  const rows = resultRows(files);
  const [shown, columns] =
    format === 'csv' ? [rows.map(spreadsheetRow), textColumns] : [rows, resultColumns];
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-export-'));
  try {
    const lines = join(folder, 'rows.jsonl');
    writeFileSync(lines, shown.map((row) => `${JSON.stringify(row)}\n`).join(''));
    await wholeFile(join(out, name), async (draft) => {
      const args = [workerProgram('write-table'), lines, JSON.stringify(columns), draft];
      await run(process.execPath, args).catch((error: unknown) => {
        const said = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
        throw new UserError(`${join(out, name)} cannot be written: ${preview(said, 300)}`);
      });
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return name;
}
