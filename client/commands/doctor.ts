import type { Command } from 'commander';
import { examine, renderChecks } from '../doctor.js';
import { loadEnvironment } from '../environment.js';
import { exitStatus } from '../user-error.js';

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'what is configured and reachable, at which version, and what to do about problems',
    )
    .option('--json', 'one JSON document', false)
    .action(async ({ json }: { readonly json: boolean }) => {
      const checks = await examine(loadEnvironment());
      console.log(json ? JSON.stringify(checks, null, 1) : renderChecks(checks));
      if (checks.some(({ kind }) => kind === 'problem')) {
        process.exitCode = exitStatus.serviceUnreachable;
      }
    });
}
