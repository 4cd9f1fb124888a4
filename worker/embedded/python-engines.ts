import { existsSync } from 'node:fs';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join, dirname } from 'node:path';
import { miniLmSources, ModelMissing, obtainModel } from '../adapters/minilm/files.js';
import { withCacheLock } from './lock.js';
import { findPython, runCommand } from './python.js';
import { timedStep, EmbeddedFailure, type SetupContext } from './setup-context.js';

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

/** The folder of the files of all-MiniLM-L6-v2, among those of installed engines. */
export const miniLmFolder = (cacheFolder: string): string => join(cacheFolder, 'all-MiniLM-L6-v2');

/** Versions before 1.24 are the last ones for Python 3.10. */
const runtime = 'onnxruntime>=1.23,<2';

/**
 * Fetches the model with which stores embed their texts, and the native code that runs it. Neither is needed by all: what cannot
 * be had is told, and whoever needs the model is told again.
 */
export async function obtainMiniLm(
  context: SetupContext,
  { python }: MilvusLiteEngine,
): Promise<void> {
  const folder = miniLmFolder(context.cacheFolder);
  const mark = join(dirname(dirname(python)), '.onnxruntime');
  const { weights, vocabulary } = miniLmSources;
  // The worker compares their content, before it uses them.
  const isThere = (): boolean =>
    [weights, vocabulary].every(({ name }) => existsSync(join(folder, name)));
  if (existsSync(mark) && isThere()) return;
  await withCacheLock(context, 'MiniLM', async () => {
    if (!existsSync(mark)) await installRuntime(context, python, mark);
    if (!isThere()) await fetchModel(context, python, folder);
  });
}

async function installRuntime(context: SetupContext, python: string, mark: string): Promise<void> {
  const { onStep, signal } = context;
  const step = { what: 'ONNX Runtime: installing with pip', expectation: '17 MB, once' };
  const quiet = ['--no-input', '--disable-pip-version-check', '--retries', '1', '--timeout', '10'];
  const pip = ['-m', 'pip', 'install', ...quiet, runtime];
  const installed = await timedStep(context, step, () => runCommand(python, pip, { signal }));
  if (installed.kind === 'done') return writeFile(mark, '');
  onStep('ONNX Runtime cannot be installed: MiniLM is run in WebAssembly, which takes longer.');
}

async function fetchModel(context: SetupContext, python: string, folder: string): Promise<void> {
  const step = { what: 'MiniLM: fetching', expectation: '91 MB, once' };
  try {
    await obtainModel(miniLmSources, {
      ...{ folder, python, signal: context.signal },
      fetching: (fetch) => timedStep(context, step, fetch),
    });
  } catch (error) {
    if (!(error instanceof ModelMissing)) throw error;
    context.onStep(error.message);
  }
}
