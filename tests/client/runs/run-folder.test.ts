import { appendFileSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { listRuns, RunFolder } from '../../../client/runs/run-folder.js';
import { UserError } from '../../../domain/user-error.js';
import { runIdSchema } from '../../../domain/ids.js';
import { runInFolder } from '../../support/runs/run-in-folder.js';

afterEach(() => vi.restoreAllMocks());

it('lists the runs that can be read, and names those that cannot', async () => {
  const complaint = vi.spyOn(console, 'error').mockReturnValue();
  const home = mkdtempSync(join(tmpdir(), 'turnwise-runs-'));
  const make = (run: string): string =>
    runInFolder([], (manifest) => ({ ...manifest, run: runIdSchema.parse(run) }), home).folder;
  make('good');
  writeFileSync(join(make('cut'), 'manifest.json'), '{"run":');
  writeFileSync(join(make('odd'), 'manifest.json'), '{}');
  expect((await listRuns(home)).map(({ run }) => run)).toEqual(['good']);
  expect(complaint.mock.calls.flat().sort()).toEqual([
    expect.stringMatching(/cut\/manifest\.json is damaged/),
    expect.stringMatching(/odd\/manifest\.json is damaged \(run: /),
  ]);
});

it('names the line of a result that makes no sense', async () => {
  const { home, folder, manifest } = runInFolder([]);
  appendFileSync(join(folder, 'results.jsonl'), '{}\n{"half');
  const read = (): Promise<unknown> => new RunFolder(home, manifest.run).results();
  await expect(read()).rejects.toThrow(UserError);
  await expect(read()).rejects.toThrow(
    /results\.jsonl, line 1, is damaged \(uuid: .*--run \S+ makes it again/,
  );
});

it('takes no other run for one whose id differs only in capitals, where these are one folder', async () => {
  const { home, folder } = runInFolder([]);
  const mine = runIdSchema.parse('Mine');
  renameSync(folder, join(dirname(folder), mine));
  await expect(new RunFolder(home, mine).manifest()).rejects.toThrow(
    /runs\/Mine holds run \S+, not Mine: .*differs in more than capitals/,
  );
});
