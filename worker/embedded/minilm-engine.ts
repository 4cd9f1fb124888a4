import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { miniLmSources, ModelMissing, obtainModel } from '../adapters/minilm/files.js';
import { withCacheLock } from './lock.js';
import type { MilvusLiteEngine } from './milvus-lite-engine.js';
import { runCommand } from './python.js';
import { timedStep, type SetupContext } from './setup-context.js';

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
