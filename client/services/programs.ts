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

/** What a process started from here gets: all that `loadEnvironment` has read. */
export const childEnvironment = (environment: Partial<Environment>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  );
