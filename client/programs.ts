import { fileURLToPath } from 'node:url';
import type { Environment } from '../domain/settings.js';

/** A compiled program of worker/, which client/ starts and never imports; found from source too, as in tests. */
export function workerProgram(name: 'supervise' | 'inspect' | 'write-table'): string {
  const folder = import.meta.url.endsWith('.ts') ? '../dist/worker' : '../worker';
  return fileURLToPath(new URL(`${folder}/${name}.js`, import.meta.url));
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
