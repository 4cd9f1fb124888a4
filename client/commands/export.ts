import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Option, type Command } from 'commander';
import { runIdSchema, type RunId } from '../../domain/ids.js';
import { manifestFile, reportFile, resultsFile, scoresFile } from '../../domain/runs/run-layout.js';
import { RunFolder } from '../runs/run-folder.js';
import { readRun } from '../runs/scoring/run-scores.js';
import { loadEnvironment } from '../services/environment.js';
import { exportFormats, exportWriters, type ExportFormat } from '../views/exports/export-run.js';
import { writeReport } from '../views/page/write-page.js';
import { parseArgument } from './shared/arguments.js';

interface ExportFlags {
  readonly out: string;
  readonly format: readonly ExportFormat[];
  readonly texts?: true;
}

export function registerExport(program: Command): void {
  program
    .command('export')
    .description(
      'the files of a run: manifest, results, scores, trajectories, its report, and other formats',
    )
    .argument('<run>', 'the run', parseArgument(runIdSchema))
    .requiredOption('--out <folder>', 'made where it is missing')
    .addOption(
      new Option('--format <format...>', 'besides the files of the run')
        .choices(exportFormats)
        .default([], 'none'),
    )
    .option('--texts', 'with the texts of prompts, replies and results in the spans of otel')
    .action(exportRun);
}

async function exportRun(run: RunId, { out, format, texts }: ExportFlags): Promise<void> {
  const folder = new RunFolder(loadEnvironment().TURNWISE_HOME, run);
  const files = await readRun(folder);
  mkdirSync(out, { recursive: true });
  const exported = [manifestFile, resultsFile, scoresFile, 'scores', 'trajectories'].filter(
    (name) => existsSync(join(folder.path, name)),
  );
  for (const name of exported) {
    cpSync(join(folder.path, name), join(out, name), { recursive: true });
  }
  await writeReport([folder], join(out, reportFile));
  exported.push(reportFile);
  for (const each of new Set(format)) {
    exported.push(await exportWriters[each]({ folder, files, out, withTexts: texts ?? false }));
  }
  console.log(`exported ${exported.join(', ')} of run ${run} to ${out}`);
}
