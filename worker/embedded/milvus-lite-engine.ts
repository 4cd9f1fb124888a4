import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withCacheLock } from './lock.js';
import { findPython, runCommand } from './python.js';
import { EmbeddedFailure, timedStep, type SetupContext } from './setup-context.js';

const packages = ['milvus-lite==3.2.2', 'pymilvus==3.0.2'] as const;

/** A Python that has Milvus Lite. */
export interface MilvusLiteEngine {
  readonly python: string;
  readonly version: string;
}

const remedy = 'or set MILVUS_ADDRESS to a Milvus that runs already.';

const folderOf = (cacheFolder: string): string =>
  join(cacheFolder, packages.join('-').replaceAll('==', '-'));

const engineIn = (folder: string): MilvusLiteEngine => ({
  python: join(folder, 'bin', 'python'),
  version: packages[0].replace('==', ' '),
});

/** Where its Python is, or would be. */
export const milvusLitePython = (cacheFolder: string): string =>
  engineIn(folderOf(cacheFolder)).python;

/** The virtual environment, if it is complete and its Python still exists. */
export async function findMilvusLite(
  cacheFolder: string,
  signal: AbortSignal,
): Promise<MilvusLiteEngine | undefined> {
  const folder = folderOf(cacheFolder);
  const engine = engineIn(folder);
  try {
    await access(join(folder, '.complete'));
  } catch {
    return undefined;
  }
  const works = await runCommand(engine.python, ['--version'], { signal, timeoutMs: 20_000 });
  return works.kind === 'done' ? engine : undefined;
}

/**
 * Makes the virtual environment, unless it exists. It cannot be moved afterwards, so it is made in its final folder and is
 * valid once that contains `.complete`.
 * @throws EmbeddedFailure with the remedy.
 */
export async function obtainMilvusLite(context: SetupContext): Promise<MilvusLiteEngine> {
  const { cacheFolder, signal } = context;
  const ready = await findMilvusLite(cacheFolder, signal);
  if (ready) return ready;
  return withCacheLock(context, 'Milvus Lite', async () => {
    const meanwhile = await findMilvusLite(cacheFolder, signal);
    if (meanwhile) return meanwhile;
    const step = {
      what: 'Milvus Lite: installing with pip',
      expectation: '455 MB, about 30 s, once',
    };
    return timedStep(context, step, () => installMilvusLite(context));
  });
}

async function installMilvusLite({ cacheFolder, signal }: SetupContext): Promise<MilvusLiteEngine> {
  const python = await findPython(signal);
  if (!python) {
    throw new EmbeddedFailure(
      `Milvus Lite needs Python 3.10 or later, and none is on the PATH: install one, ${remedy}`,
      3,
    );
  }
  const folder = folderOf(cacheFolder);
  const engine = engineIn(folder);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const made = await runCommand(python.command, ['-m', 'venv', folder], { signal });
  if (made.kind !== 'done') {
    throw new EmbeddedFailure(
      `${python.command} ${python.version} cannot make a virtual environment: install its venv module ` +
        `(Debian and Ubuntu: apt install python3-venv), ${remedy}`,
      3,
    );
  }
  const pip = ['-m', 'pip', 'install', '--no-input', '--disable-pip-version-check', ...packages];
  const installed = await runCommand(engine.python, pip, { signal });
  if (installed.kind !== 'done') {
    const log = join(cacheFolder, 'milvus-lite-install.log');
    const output = installed.kind === 'failed' ? installed.output : '';
    await writeFile(log, output);
    throw new EmbeddedFailure(
      `pip could not install ${packages.join(' and ')} (${lastError(output)}; all of it in ${log}): ` +
        `check the network or pip's settings and try again, ${remedy}`,
      3,
    );
  }
  await writeFile(join(folder, '.complete'), '');
  return engine;
}

function lastError(output: string): string {
  const lines = output.trim().split('\n');
  return (lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1) ?? '').trim();
}
