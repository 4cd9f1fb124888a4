import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** The folder of the checkout; found from source too, as in tests. */
export const packageRoot = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '..' : '../..', import.meta.url),
);

export const packageVersion = (): string =>
  z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(`${packageRoot}/package.json`, 'utf8'))).version;

/** Of the checkout turnwise runs from, with `-dirty` where it was changed; null outside a checkout. */
export function gitRevision(): string | null {
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
