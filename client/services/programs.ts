import { join } from 'node:path';
import type { Environment } from '../../domain/settings.js';
import { packageRoot } from './versions.js';

type WorkerProgram =
  | 'supervise'
  | 'inspect'
  | 'plugin-thread'
  | 'worker'
  | 'import-databases'
  | 'execute-sql'
  | 'write-table'
  | 'read-rows'
  | 'view-pages';

/**
 * A program of worker/, which client/ starts and never imports, where the build leaves it (`bin/bundle.js`); found from source
 * too, as in tests.
 */
export const workerProgram = (name: WorkerProgram): string =>
  join(packageRoot, 'dist/programs', `${name}.js`);

/** What a process started from here gets: this environment, settings read from files included, nothing empty. */
export function childEnvironment(environment: Environment): Record<string, string> {
  const both = Object.entries({ ...process.env, ...environment });
  return Object.fromEntries(
    both.flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, String(value)]],
    ),
  );
}
