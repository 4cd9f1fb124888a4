import type { Command } from 'commander';
import type { RunManifest } from '../../domain/runs/run-manifest.js';
import { noScores, outsideFailures, scoreMeans } from '../../domain/runs/run-totals.js';
import { scaleLabels } from '../../domain/scoring/scale.js';
import { storageOf } from '../../domain/settings.js';
import { alignColumns } from '../views/terminal.js';
import { jsonOption, type FlagsOf } from '../../domain/option.js';
import { loadEnvironment } from '../services/environment.js';
import { type RunPlace, listRuns, RunFolder, samplesOf } from '../runs/run-folder.js';
import { registerRemove } from './remove-runs.js';
import { addOptions } from './shared/arguments.js';

export function registerRuns(program: Command): void {
  const command = program.command('runs').description('all runs, oldest first');
  addOptions(command, jsonOption).action(list);
  registerRemove(command);
}

async function list({ json }: FlagsOf<typeof jsonOption>): Promise<void> {
  const environment = loadEnvironment();
  const runs = await listRuns(environment.TURNWISE_HOME, storageOf(environment));
  console.log(json ? JSON.stringify(runs, null, 1) : await inWords(environment, runs));
}

async function inWords(place: RunPlace, runs: readonly RunManifest[]): Promise<string> {
  if (runs.length === 0) return 'no runs yet: `turnwise run DATASET --store S` makes one';
  const rowOf = async (manifest: RunManifest): Promise<readonly string[]> => {
    const { run, startedAt, config, totals } = manifest;
    const means = scoreMeans(totals?.scores ?? noScores);
    return [
      run,
      stateText(manifest),
      startedAt.slice(0, 16).replace('T', ' '),
      config.method,
      config.model.name,
      `${await RunFolder.of(place, run).countResults()} of ${samplesOf(manifest)}`,
      means.map(({ scale, mean }) => `${mean.toFixed(3)}${scaleLabels[scale]}`).join(', ') || '–',
    ];
  };
  return alignColumns([
    ['run', 'state', 'started (UTC)', 'method', 'model', 'ended', 'mean score'],
    ...(await Promise.all(runs.map(rowOf))),
  ]);
}

/** A run that is done may have failed. */
function stateText({ status, totals }: RunManifest): string {
  if (status === 'running') return 'unfinished';
  const failed = totals === null ? 0 : outsideFailures(totals);
  return failed === 0 ? status : `${status}, ${failed} failed`;
}
