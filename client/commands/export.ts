import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { runIdSchema, type RunId } from '../../domain/ids.js';
import { manifestFile, resultsFile, scoresFile } from '../../domain/runs/run-layout.js';
import { loadEnvironment } from '../environment.js';
import { parseArgument } from '../parse-argument.js';
import { RunFolder } from '../run-folder.js';

export function registerExport(program: Command): void {
  program
    .command('export')
    .description('the files of a run: manifest, results, scores, trajectories')
    .argument('<run>', 'the run', parseArgument(runIdSchema))
    .requiredOption('--out <folder>', 'made where it is missing')
    .action(exportRun);
}

function exportRun(run: RunId, { out }: { readonly out: string }): void {
  const folder = new RunFolder(loadEnvironment().TURNWISE_HOME, run);
  folder.manifest();
  mkdirSync(out, { recursive: true });
  const exported = [manifestFile, resultsFile, scoresFile, 'scores', 'trajectories'].filter(
    (name) => existsSync(join(folder.path, name)),
  );
  for (const name of exported) {
    cpSync(join(folder.path, name), join(out, name), { recursive: true });
  }
  console.log(`exported ${exported.join(', ')} of run ${run} to ${out}`);
}
