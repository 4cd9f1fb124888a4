import { join } from 'node:path';
import type { Command } from 'commander';
import { runIdSchema, type RunId } from '../../domain/ids.js';
import { reportFile } from '../../domain/runs/run-layout.js';
import { loadEnvironment } from '../services/environment.js';
import { parseArguments } from './shared/arguments.js';
import { RunFolder } from '../runs/run-folder.js';
import { writeReport } from '../views/page/write-page.js';
import { UserError } from '../../domain/user-error.js';

interface ReportFlags {
  readonly out?: string;
  readonly by: readonly string[];
  readonly json?: true;
}

export function registerReport(program: Command): void {
  program
    .command('report')
    .description('a page about runs that needs no network: scores, plots, every conversation')
    .argument('<runs...>', 'the runs', parseArguments(runIdSchema))
    .option('--out <file>', "where to write it (default: report.html in the run's folder)")
    .option(
      '--by <field...>',
      'scores by these fields of the questions, too; dots lead inwards',
      [],
    )
    .option('--json', 'say as a JSON document what was written')
    .action(report);
}

async function report(runs: readonly RunId[], { out, by, json }: ReportFlags): Promise<void> {
  const doubled = runs.find((run, index) => runs.indexOf(run) !== index);
  if (doubled !== undefined) throw new UserError(`run ${doubled} is named twice`);
  const home = loadEnvironment().TURNWISE_HOME;
  const folders = runs.map((run) => new RunFolder(home, run));
  for (const folder of folders) await folder.manifest();
  const written = await writeReport(folders, out ?? usualPlace(folders), by);
  console.log(
    json
      ? JSON.stringify({ runs, ...written }, null, 1)
      : `report on ${runs.join(', ')} written to ${written.file}, ${(written.bytes / 1e6).toFixed(1)} MB`,
  );
}

function usualPlace(folders: readonly RunFolder[]): string {
  const [first, ...others] = folders;
  if (first === undefined || others.length > 0) {
    throw new UserError('a report on several runs needs --out, which says where it is written');
  }
  return join(first.path, reportFile);
}
