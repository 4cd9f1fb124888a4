import { join, dirname } from 'node:path';
import type { Environment } from '../../domain/settings.js';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** The folder of the checkout, found from source, from compiled files and from bundles alike. */
export const packageRoot = folderWithPackage(dirname(fileURLToPath(import.meta.url)));

function folderWithPackage(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : folderWithPackage(dirname(folder));
}

export const packageVersion = (): string =>
  z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(`${packageRoot}/package.json`, 'utf8'))).version;

/** Of the checkout turnwise runs from, with `-dirty` where it was changed; null outside a checkout. */
export function gitRevision(): string | null {
  // An installed package may lie in a checkout of something else.
  if (!existsSync(join(packageRoot, '.git'))) return null;
  try {
    return execFileSync('git', ['describe', '--always', '--dirty', '--abbrev=12'], {
      cwd: packageRoot,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}

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
