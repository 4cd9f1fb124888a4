import { expect, it } from 'vitest';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  miniLmFolder,
  obtainMiniLm,
  type MilvusLiteEngine,
} from '../../../worker/embedded/python-engines.js';

it('leaves it to the worker to compare the content of files that are there', async () => {
  const cacheFolder = mkdtempSync(join(tmpdir(), 'turnwise-engines-'));
  const python = join(cacheFolder, 'python', 'bin', 'python');
  mkdirSync(miniLmFolder(cacheFolder));
  for (const name of ['model.safetensors', 'vocab.txt'])
    writeFileSync(join(miniLmFolder(cacheFolder), name), 'x');
  mkdirSync(join(cacheFolder, 'python'));
  writeFileSync(join(cacheFolder, 'python', '.onnxruntime'), '');
  const steps: string[] = [];
  const context = {
    ...{ cacheFolder, signal: new AbortController().signal },
    onStep: (step: string) => void steps.push(step),
  };
  await obtainMiniLm(context, { python } as MilvusLiteEngine);
  expect(steps).toEqual([]);
  rmSync(cacheFolder, { recursive: true });
});
