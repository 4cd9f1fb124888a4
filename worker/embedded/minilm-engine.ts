import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { miniLmSources, ModelMissing, obtainModel } from '../adapters/minilm/files.js';
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
  const { cacheFolder, onStep, signal } = context;
  const folder = miniLmFolder(cacheFolder);
  const mark = join(dirname(dirname(python)), '.onnxruntime');
  if (!existsSync(mark)) {
    const step = { what: 'ONNX Runtime: installing with pip', expectation: '17 MB, once' };
    const pip = ['-m', 'pip', 'install', '--no-input', '--disable-pip-version-check', runtime];
    const installed = await timedStep(context, step, () => runCommand(python, pip, { signal }));
    if (installed.kind === 'done') {
      await writeFile(mark, '');
    } else {
      onStep('ONNX Runtime cannot be installed: MiniLM is run in WebAssembly, which takes longer.');
    }
  }
  try {
    await obtainModel(miniLmSources, {
      ...{ folder, python, signal },
      fetching: (fetch) =>
        timedStep(context, { what: 'MiniLM: fetching', expectation: '91 MB, once' }, fetch),
    });
  } catch (error) {
    if (!(error instanceof ModelMissing)) throw error;
    onStep(error.message);
  }
}
