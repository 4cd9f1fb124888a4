import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runIdSchema } from '../../../domain/ids.js';
import { createFolderStorage } from '../../../storage/folder-storage.js';
import { RunRemoval } from '../../../storage/runs/run-removal.js';

const [run, other] = [runIdSchema.parse('mine'), runIdSchema.parse('mine-2')];

const job = (...runs: readonly string[]): string =>
  JSON.stringify({ cases: runs.map((each) => ({ folder: `runs/${each}/turns/a/judges` })) });

it('takes along jobs of judges that are about nothing else', async () => {
  const storage = createFolderStorage(mkdtempSync(join(tmpdir(), 'turnwise-removal-')));
  const removal = new RunRemoval(storage);
  const jobs = { a: job(run), b: job(other), c: job(run, other), d: 'damaged' };
  for (const [name, text] of Object.entries(jobs))
    await storage.write(`judgings/000000000000000${name}.json`, text);
  await storage.write(`runs/${run}/manifest.json`, '{}');
  await storage.write(`runs/${other}/manifest.json`, '{}');
  expect(await removal.contents(run)).toEqual({ objects: 2, bytes: job(run).length + 2 });
  await removal.mark(run);
  await removal.remove(run);
  expect((await storage.list('judgings')).toSorted()).toEqual(
    ['b', 'c', 'd'].map((name) => `000000000000000${name}.json`),
  );
  expect(await removal.names()).toEqual([other]);
});
