import { readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { Command } from 'commander';
import { runIdSchema, type RunId } from '../../domain/ids.js';
import { defaultRunConfig } from '../../domain/runs/run-config.js';
import { resultsFile } from '../../domain/runs/run-layout.js';
import { endReport } from '../end-report.js';
import { loadEnvironment } from '../environment.js';
import { executeRun, exitStatusOf } from '../execute-run.js';
import { wholeNumber } from '../number-argument.js';
import { parseArgument } from '../parse-argument.js';
import { prepareRun } from '../prepare-run.js';
import { ProgressDisplay } from '../progress-display.js';
import { addSharedRunOptions, runConfigOf, type SharedRunFlags } from '../run-options.js';
import { withServices } from '../session.js';
import { startRun } from '../start-run.js';
import { openStore } from '../store-files.js';
import { UserError } from '../user-error.js';

interface RunFlags extends SharedRunFlags {
  readonly run?: RunId;
  readonly epochs: number;
  readonly concurrency: number;
  readonly limit?: number;
  readonly detach: boolean;
  readonly json: boolean;
}

export function registerRun(program: Command): void {
  addSharedRunOptions(
    program
      .command('run')
      .description('ask every question of a dataset; the same run id again continues it')
      .argument('<dataset>', 'questions, one JSON object a line'),
  )
    .option(
      '--run <id>',
      'the run (default: dataset, method, model and date)',
      parseArgument(runIdSchema),
    )
    .option(
      '--epochs <n>',
      'times each question is asked',
      wholeNumber(1, 1000),
      defaultRunConfig.epochs,
    )
    .option(
      '--concurrency <n>',
      'questions in flight',
      wholeNumber(1, 2000),
      defaultRunConfig.concurrency,
    )
    .option('--limit <n>', 'the first n questions only', wholeNumber(1, 1_000_000))
    .option('--detach', 'return as soon as the run has started', false)
    .option('--json', 'print the totals as one JSON document', false)
    .action(runDataset);
}

async function runDataset(dataset: string, flags: RunFlags): Promise<void> {
  const environment = loadEnvironment();
  const config = runConfigOf(flags, environment, flags);
  const { folder, manifest, kind } = prepareRun({
    home: environment.TURNWISE_HOME,
    run: flags.run ?? defaultRunId(dataset, flags),
    dataset: { path: dataset, text: firstLines(readText(dataset), flags.limit) },
    store: openStore(environment.TURNWISE_HOME, flags.store),
    config,
  });
  console.error(
    `${kind === 'new' ? 'starting' : 'continuing'} run ${manifest.run} in ${folder.path}`,
  );
  await withServices(environment, async (session) => {
    if (flags.detach) {
      if (session.services.startedHere) {
        throw new UserError(
          'with --detach nothing would be left to do the work: start `turnwise up` in another terminal first',
        );
      }
      await startRun(session.client, manifest, environment.TURNWISE_TASK_QUEUE);
      console.log(
        `started run ${manifest.run}; \`turnwise status ${manifest.run}\` shows where it is`,
      );
      return;
    }
    const display = new ProgressDisplay(process.stderr);
    const totals = await executeRun(session, environment, manifest, display).finally(() =>
      display.finish(),
    );
    console.log(
      flags.json
        ? JSON.stringify({ run: manifest.run, folder: folder.path, totals }, null, 1)
        : `${endReport(totals, folder.models())}\nresults: ${folder.path}/${resultsFile}`,
    );
    process.exitCode = exitStatusOf(totals);
  });
}

function defaultRunId(dataset: string, { method, model }: SharedRunFlags): RunId {
  const parts = [basename(dataset, extname(dataset)), method, model];
  const date = new Date().toISOString().slice(0, 10);
  return runIdSchema.parse(
    `${parts
      .join('-')
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 69)}-${date}`,
  );
}

export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError(`the dataset ${path} cannot be read: ${reason}`);
  }
}

/** Counts lines that hold something. */
function firstLines(text: string, limit: number | undefined): string {
  if (limit === undefined) return text;
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, limit)
    .map((line) => `${line}\n`)
    .join('');
}
