import { join } from 'node:path';
import type { Environment } from '../../domain/settings.js';
import { packageRoot } from './versions.js';

/** Where the build leaves them (`bin/bundle.js`). */
const programs = {
  supervise: 'command-line/supervise.js',
  inspect: 'command-line/inspect.js',
  'plugin-thread': 'command-line/plugin-thread.js',
  worker: 'worker-process/worker.js',
  'import-databases': 'worker-process/import-databases.js',
  'execute-sql': 'worker-process/execute-sql.js',
  'write-table': 'worker-process/write-table.js',
  'view-pages': 'worker-process/view-pages.js',
} as const;

/** A built program of worker/, which client/ starts and never imports; found from source too, as in tests. */
export function workerProgram(name: keyof typeof programs): string {
  return join(packageRoot, 'dist', programs[name]);
}

/** What a process started from here gets: this environment, settings read from files included, nothing empty. */
export function childEnvironment(environment: Environment): Record<string, string> {
  const both = Object.entries({ ...process.env, ...environment });
  return Object.fromEntries(
    both.flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, String(value)]],
    ),
  );
}
