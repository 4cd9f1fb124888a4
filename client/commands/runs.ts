import type { Command } from 'commander';
import { endedCount } from '../../domain/runs/run-totals.js';
import { loadEnvironment } from '../environment.js';
import { listRuns } from '../run-folder.js';

export function registerRuns(program: Command): void {
  program
    .command('runs')
    .description('all runs, oldest first')
    .option('--json', 'one JSON document', false)
    .action(({ json }: { readonly json: boolean }) => {
      const runs = listRuns(loadEnvironment().TURNWISE_HOME);
      if (json) {
        console.log(JSON.stringify(runs, null, 1));
        return;
      }
      for (const { run, status, totals, config, dataset, startedAt } of runs) {
        const ended = totals ? ` ${endedCount(totals)} ended` : '';
        console.log(
          `${run}  ${status}  ${startedAt.slice(0, 16)}  ${config.model.name}  ${dataset.items} questions${ended}`,
        );
      }
    });
}
