import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { withCacheLock } from '../../worker/embedded/lock.js';
import { findPython } from '../../worker/embedded/python.js';
import { cacheFolder } from '../../worker/embedded/setup-context.js';

/**
 * Python with a package of PyPI, in a virtual environment of the cache folder that is made once. It counts as made when
 * `.complete` is in it.
 * @param requirement - `pandas==2.3.3`
 */
export async function pythonWith(requirement: string): Promise<string> {
  const { signal } = new AbortController();
  const cache = cacheFolder(process.env['TURNWISE_CACHE']);
  const place = join(cache, requirement.replace('==', '-'));
  const python = join(place, 'bin', 'python');
  const context = { cacheFolder: cache, onStep: () => undefined, signal };
  await withCacheLock(context, requirement, async () => {
    if (existsSync(join(place, '.complete'))) return;
    const base = await findPython(signal);
    if (!base) throw new Error(`${requirement} needs Python 3.10 or later on the PATH`);
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { recursive: true });
    execFileSync(base.command, ['-m', 'venv', place]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check'];
    execFileSync(python, [...pip, requirement]);
    writeFileSync(join(place, '.complete'), '');
  });
  return python;
}
