import type { CommandLine } from './shared/command-line.js';
import { diagnosisStatus, examine, renderChecks } from '../services/diagnosis.js';
import { loadEnvironment } from '../services/environment.js';
import { printResult } from '../services/tell.js';

export function registerDoctor(program: CommandLine): void {
  program
    .command('doctor')
    .description(
      'what is configured and reachable, at which version, and what to do about problems',
    )
    .option('--json', 'one JSON document')
    .action(async ({ json }: { readonly json?: true }) => {
      const checks = await examine(loadEnvironment());
      printResult(json, checks, renderChecks(checks));
      process.exitCode = diagnosisStatus(checks);
    });
}
