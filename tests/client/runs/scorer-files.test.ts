import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scorerFiles } from '../../../client/runs/own-code.js';
import { datasetItemSchema, type DatasetItem } from '../../../domain/scoring/dataset-item.js';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-scorers-'));
const fileOf = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const scoredBy = (program: string): DatasetItem =>
  datasetItemSchema.parse({
    uuid: 'q1',
    question: 'How many?',
    evaluator: { eval_func: 'eval_program', eval_kwargs: { program } },
  });

/** Of `a`, as `sha256sum` tells it. */
const hashOfA = 'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb';

it.each<[string, (path: string) => string]>([
  ['an argument', (path) => `python3 ${path} --strict`],
  ['an argument in quotes', (path) => `python3 '${path}'`],
  ['the program itself', (path) => `${path} --strict`],
  ['an argument of a program that is a file', (path) => `${process.execPath} "${path}"`],
])('hashes %s', (_what, command) => {
  const path = fileOf('my scorer.py', 'a');
  const plain = fileOf('scorer.py', 'a');
  const used = command('x').includes("'x'") || command('x').includes('"x"') ? path : plain;
  expect(scorerFiles([scoredBy(command(used))])).toEqual({ [used]: hashOfA });
});

it('finds nothing in a command without a file, and in questions without a program', () => {
  const plain = datasetItemSchema.parse({ uuid: 'q2', question: 'Why?' });
  expect(scorerFiles([scoredBy(`wc -l ${folder} ${join(folder, 'none.py')}`), plain])).toEqual({});
});
