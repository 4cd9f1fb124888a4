import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
