import type { CommandLine } from './shared/command-line.js';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { wellFormedJson } from '../../domain/formats/json.js';
import type { RunId } from '../../domain/ids.js';
import {
  datasetFile,
  manifestFile,
  notesFile,
  reportFile,
  resultsFile,
  rulingsFile,
  scoresFile,
} from '../../domain/runs/run-manifest.js';
import { checkReceipt } from '../../domain/runs/receipt.js';
import { exitStatus, UserError } from '../../domain/user-error.js';
import { readTextFile } from '../services/read-file.js';
import { sha256Of } from '../../storage/sha256.js';
import { flag, option, type FlagsOf } from '../../domain/option.js';
import { RunFolder } from '../runs/run-folder.js';
import { readRun } from '../runs/scoring/run-scores.js';
import { loadEnvironment } from '../services/environment.js';
import { exportFormats, exportWriters } from '../views/exports/export-run.js';
import { writeReport } from '../views/page/write-page.js';
import { print } from '../services/tell.js';

const writtenByPeople = [notesFile, rulingsFile];

const exportOptions = {
  out: option('<folder>', 'made where it is missing', z.string()),
  format: option(
    '<format>',
    'besides the files of the run',
    z.array(z.enum(exportFormats)).default([]),
  ),
  texts: flag('with the texts of prompts, replies and results in the spans of otel'),
};

export function registerExport(program: CommandLine): void {
  program
    .commandOnRun(
      'export',
      'the files of a run: manifest, results, scores, trajectories, its report, and other formats',
    )
    .takes(exportOptions)
    .action(exportRun);
}

async function exportRun(
  run: RunId,
  { out, format, texts }: FlagsOf<typeof exportOptions>,
): Promise<void> {
  const folder = RunFolder.of(loadEnvironment(), run);
  const files = await readRun(folder);
  mkdirSync(out, { recursive: true });
  const exported: string[] = [];
  for (const file of [manifestFile, datasetFile, resultsFile, scoresFile, ...writtenByPeople]) {
    if (await copyFile(folder, file, out)) exported.push(file);
  }
  // What the members of a panel replied is in `panels.jsonl`.
  const reviews = (await folder.names('reviews')).map((name) => `reviews/${name.slice(0, -1)}`);
  for (const each of ['scores', 'trajectories', 'traces', ...reviews]) {
    if (await copyFolder(folder, each, out)) exported.push(each);
  }
  await writeReport([folder], join(out, reportFile));
  exported.push(reportFile);
  for (const each of new Set(format)) {
    exported.push(await exportWriters[each]({ folder, files, out, withTexts: texts ?? false }));
  }
  print(`exported ${exported.join(', ')} of run ${run} to ${out}`);
}

/** How many files are read at once: an object store takes tens of milliseconds for each. */
const copiedAtOnce = 20;

/** Resolves to whether there are any. */
async function copyFolder(folder: RunFolder, name: string, out: string): Promise<boolean> {
  const files = (await folder.names(name)).filter((file) => !file.endsWith('/'));
  if (files.length > 0) mkdirSync(join(out, name), { recursive: true });
  for (let first = 0; first < files.length; first += copiedAtOnce) {
    const batch = files.slice(first, first + copiedAtOnce);
    await Promise.all(batch.map((file) => copyFile(folder, `${name}/${file}`, out)));
  }
  return files.length > 0;
}

/** Resolves to whether there is such a file. */
async function copyFile(folder: RunFolder, file: string, out: string): Promise<boolean> {
  const text = await folder.read(file);
  if (text !== null) writeFileSync(join(out, file), wellFormedJson(text));
  return text !== null;
}

export function registerVerify(program: CommandLine): void {
  program
    .command('verify')
    .description('whether a receipt of `export` is as it was made, with no run and no service')
    .argument('<file>', 'the receipt')
    .action(verify);
}

function verify(file: string): void {
  const checked = checkReceipt(readTextFile(file, file, 'latin1'), sha256Of);
  if (checked.kind === 'unreadable')
    throw new UserError(
      `${file} is no receipt of this version: \`turnwise export RUN --out DIR --format receipt\` makes one`,
    );
  if (checked.kind === 'altered') {
    const { line, question } = checked;
    const of = question ? ` (question ${question.uuid}, epoch ${question.epoch})` : '';
    throw new UserError(
      `${file}: line ${line}${of} is not as it was written, or lines are missing: export the receipt again`,
      exitStatus.receiptAltered,
    );
  }
  const { questions, calls, outcome } = checked;
  print(`verified: ${questions} questions, ${calls} calls, outcome ${outcome}`);
}
