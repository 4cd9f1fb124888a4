import { writeFileSync } from 'node:fs';
import { z } from 'zod';
import { visibleJson, visibleText } from '../../domain/formats/text.js';
import { flag, option, type FlagsOf } from '../../domain/option.js';
import { runIdSchema, type RunId } from '../../domain/ids.js';
import { loadEnvironment } from '../services/environment.js';
import { print } from '../services/tell.js';
import { parseArguments, type CommandLine } from './shared/command-line.js';
import { databaseReportOf, reportOnAnswers } from '../runs/database-qa/database-report.js';
import { RunFolder } from '../runs/run-folder.js';
import { reportSections } from '../views/sections/run.js';
import { resultText } from '../views/print-sections.js';
import { readReportedRun } from '../runs/reported-run.js';
import { databaseSections, tablesData } from '../views/database-qa/report-tables.js';
import { writeReport } from '../views/page/write-page.js';
import { UserError } from '../../domain/user-error.js';

const reportOptions = {
  out: option('<file>', "where to write it (default: report.html in the run's folder)"),
  by: option(
    '<field>',
    'scores by these fields of the questions, too; dots lead inwards',
    z.array(z.string()).default([]),
  ),
  format: option(
    '<format>',
    'a page, or what it says in tables, printed or written to --out (default: html; with --traces markdown)',
    z.enum(['html', 'markdown', 'text', 'json']).optional(),
  ),
  json: { ...flag('one JSON document, as --format json'), conflicts: ['format'] },
  common: flag('of databases: restrict the tables to the questions that all runs were asked'),
  baseline: option(
    '<run>',
    'of databases: the run whose answers are guesses, in Fig. 3',
    runIdSchema.optional(),
  ),
  traces: option('<file>', 'the tables of databases from answers that were made elsewhere'),
};
type ReportFlags = FlagsOf<typeof reportOptions>;

export function registerReport(program: CommandLine): void {
  program
    .command('report')
    .description('a page about runs that needs no network: scores, plots, every conversation')
    .argument('[runs...]', 'the runs', parseArguments(runIdSchema))
    .takes(reportOptions)
    .action(report);
}

async function report(runs: readonly RunId[], flags: ReportFlags): Promise<void> {
  const { out, by, json, traces } = flags;
  const doubled = runs.find((run, index) => runs.indexOf(run) !== index);
  if (doubled !== undefined) throw new UserError(`run ${doubled} is named twice`);
  if (traces !== undefined && runs.length > 0) {
    throw new UserError('--traces takes its answers from a file: name no runs with it');
  }
  if (traces === undefined && runs.length === 0) {
    throw new UserError('name a run; `turnwise runs` lists those there are');
  }
  const environment = loadEnvironment();
  const folders = runs.map((run) => RunFolder.of(environment, run));
  const databases =
    traces === undefined ? await databaseReportOf(folders, flags) : reportOnAnswers(traces, flags);
  const usual = runs.length === 0 && out === undefined ? 'markdown' : 'html';
  const format = json ? 'json' : (flags.format ?? usual);
  if (format !== 'html') {
    const reported = await Promise.all(folders.map((folder) => readReportedRun(folder, by)));
    const sections = [
      ...(reported.length > 0 ? reportSections(reported) : []),
      ...(databases ? databaseSections(databases) : []),
    ];
    const data = { runs, ...(databases && tablesData(databases)) };
    const title = runs.length > 0 ? `Report on ${runs.join(', ')}` : 'Answers over databases';
    printOrWrite(resultText(format, { title, sections, data }), out, format === 'json');
    return;
  }
  const written = await writeReport(folders, out ?? usualPlace(folders), { fields: by, databases });
  print(
    `report${runs.length > 0 ? ` on ${runs.join(', ')}` : ''} written to ${written.file}, ${(written.bytes / 1e6).toFixed(1)} MB`,
  );
}

function printOrWrite(text: string, file: string | undefined, isJson = false): void {
  if (file === undefined) print(text, isJson);
  else writeFileSync(file, `${isJson ? visibleJson(text) : visibleText(text)}\n`);
}

function usualPlace(folders: readonly RunFolder[]): string {
  const [first, ...others] = folders;
  if (first === undefined || others.length > 0) {
    throw new UserError('a report on several runs needs --out, which says where it is written');
  }
  return first.reportPath;
}
