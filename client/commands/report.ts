import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { z } from 'zod';
import { visibleJson, visibleText } from '../../domain/formats/text.js';
import { flag, option, type FlagsOf } from '../../domain/option.js';
import { runIdSchema, type RunId } from '../../domain/ids.js';
import { loadEnvironment } from '../services/environment.js';
import { note, print, printResult } from '../services/tell.js';
import { addOptions, parseArguments } from './shared/arguments.js';
import {
  reportOnAnswers,
  reportOnRuns,
  type DatabaseReport,
} from '../runs/database-qa/database-report.js';
import { RunFolder } from '../runs/run-folder.js';
import { reportSections } from '../views/sections/run.js';
import { resultText } from '../views/print-sections.js';
import { readReportedRun } from '../runs/reported-run.js';
import {
  markdownReport,
  publishedNote,
  reportTables,
  tablesJson,
} from '../views/database-qa/report-tables.js';
import { writeDatabaseReport, writeReport } from '../views/page/write-page.js';
import { UserError } from '../../domain/user-error.js';

const reportOptions = {
  out: option('<file>', "where to write it (default: report.html in the run's folder)"),
  by: option(
    '<field>',
    'scores by these fields of the questions, too; dots lead inwards',
    z.array(z.string()).default([]),
  ),
  layout: option(
    '<layout>',
    'tables and figures of another kind: database-qa, for runs over databases',
    z.enum(['database-qa']).optional(),
  ),
  traces: option('<file>', 'the tables of database-qa from answers that were made elsewhere'),
  format: option(
    '<format>',
    'a page, or what it says in tables, printed or written to --out',
    z.enum(['html', 'markdown', 'text', 'json']).optional(),
  ),
  common: flag('restrict these tables to the questions that all runs were asked'),
  baseline: option('<run>', 'the run whose answers are guesses, in Fig. 3', runIdSchema.optional()),
  json: flag('the tables of database-qa, or what was written, as a JSON document'),
};
type ReportFlags = FlagsOf<typeof reportOptions>;

export function registerReport(program: Command): void {
  const command = program
    .command('report')
    .description('a page about runs that needs no network: scores, plots, every conversation')
    .argument('[runs...]', 'the runs', parseArguments(runIdSchema));
  addOptions(command, reportOptions).action(report);
}

async function report(runs: readonly RunId[], flags: ReportFlags): Promise<void> {
  const { out, by, json, layout, traces } = flags;
  const doubled = runs.find((run, index) => runs.indexOf(run) !== index);
  if (doubled !== undefined) throw new UserError(`run ${doubled} is named twice`);
  if (traces !== undefined && runs.length > 0) {
    throw new UserError('--traces takes its answers from a file: name no runs with it');
  }
  if (traces !== undefined) return reportDatabases(reportOnAnswers(traces, flags), [], flags);
  if (runs.length === 0) throw new UserError('name a run; `turnwise runs` lists those there are');
  const environment = loadEnvironment();
  const folders = runs.map((run) => RunFolder.of(environment, run));
  if (layout === 'database-qa') {
    return reportDatabases(await reportOnRuns(folders, flags), folders, flags);
  }
  for (const folder of folders) await folder.manifest();
  if (flags.format !== undefined && flags.format !== 'html') {
    const reported = await Promise.all(folders.map((folder) => readReportedRun(folder, by)));
    const sections = reportSections(reported);
    const document = { title: `Report on ${runs.join(', ')}`, sections, data: { runs } };
    printOrWrite(resultText(flags.format, document), out, flags.format === 'json');
    return;
  }
  const written = await writeReport(folders, out ?? usualPlace(folders), by);
  printResult(
    json,
    { runs, ...written },
    `report on ${runs.join(', ')} written to ${written.file}, ${(written.bytes / 1e6).toFixed(1)} MB`,
  );
}

/** Prints tables as text, or writes them to a page; both if JSON is wanted beside a page. */
async function reportDatabases(
  found: DatabaseReport,
  folders: readonly RunFolder[],
  { out, json, format }: ReportFlags,
): Promise<void> {
  const withoutPage = folders.length === 0 && out === undefined;
  switch (format ?? (json && out === undefined ? 'json' : withoutPage ? 'markdown' : 'html')) {
    case 'json': {
      printOrWrite(tablesJson(found), out, true);
      return;
    }
    case 'markdown': {
      printOrWrite(markdownReport(found), out);
      return;
    }
    case 'text': {
      const sections = reportTables(found.tables);
      const text = resultText('text', { title: '', sections, data: {} });
      printOrWrite([...found.notes, text, publishedNote].join('\n'), out);
      return;
    }
    case 'html': {
      const { file, bytes } = await writeDatabaseReport(found, out ?? usualPlace(folders));
      note(`report written to ${file}, ${(bytes / 1e6).toFixed(1)} MB`);
      if (json) print(tablesJson(found), true);
    }
  }
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
