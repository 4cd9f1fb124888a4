import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listCopies, removeCopies } from '../../../../client/runs/stores/database-copies.js';
import { copiesSection } from '../../../../client/views/sections/store.js';
import { sectionText } from '../../../support/commands/section-text.js';
import { databaseIdSchema } from '../../../../domain/stores/database.js';
import { openRunFiles } from '../../../../storage/runs/run-files.js';
import { exampleManifest } from '../../../support/runs/example-manifest.js';

it('lists the copies of databases with the runs over them, and removes those of no run', async () => {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-copies-'));
  const settings = { TURNWISE_HOME: home, TURNWISE_STORAGE: undefined };
  expect(sectionText(copiesSection(await listCopies(settings)))).toBe('no database is copied');
  const [used, unused] = ['a', 'b'].map((digit) => databaseIdSchema.parse(digit.repeat(32)));
  if (used === undefined || unused === undefined) throw new Error('no ids');
  for (const [id, bytes] of [
    [used, 10],
    [unused, 2000],
  ] as const) {
    const folder = join(home, 'databases', id);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'data.duckdb'), 'x'.repeat(bytes));
  }
  const content = { sha256: 'c'.repeat(64), bytes: 10 };
  const description = { id: used, name: 'shop', tables: [], searched: [], content };
  writeFileSync(join(home, 'databases', used, 'database.json'), JSON.stringify(description));
  const manifest = exampleManifest();
  await openRunFiles(home).saveManifest({
    ...manifest,
    databases: { key: { kind: 'imported', id: used } },
  });
  const copies = await listCopies(settings);
  expect(copies.map(({ id, name, runs }) => [id, name, runs])).toEqual([
    [unused, null, []],
    [used, 'shop', [manifest.run]],
  ]);
  expect(sectionText(copiesSection(copies))).toContain(`${unused}  damaged   2 kB`);
  await removeCopies(
    settings,
    copies.filter(({ runs }) => runs.length === 0),
  );
  expect([used, unused].map((id) => existsSync(join(home, 'databases', id)))).toEqual([
    true,
    false,
  ]);
});
