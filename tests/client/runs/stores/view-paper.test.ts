import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { viewPaper } from '../../../../client/runs/stores/view-paper.js';
import { compiledEntry } from '../../../support/commands/compiled-entry.js';
import { lanternPaper } from '../../../support/stores/example-papers.js';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-view-'));
const { entry, remove } = compiledEntry('worker/view-pages.ts');
afterAll(remove);
const program = fileURLToPath(entry);
const path = join(folder, 'lantern.pdf');
writeFileSync(path, lanternPaper());
const plenty = 1_000_000;

describe('the pages of a PDF', () => {
  it('come with their size, a picture and their lines', async () => {
    const { pages, broken } = await viewPaper(
      { path, pages: [1, 2], mostPicture: plenty },
      program,
    );
    expect([[...pages.keys()], broken]).toEqual([[1, 2], []]);
    const page = pages.get(2);
    expect(page).toMatchObject({ width: 612, height: 792 });
    const png = Buffer.from(page?.picture ?? '', 'base64');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([935, 1210]);
    expect(page?.lines.map(({ text }) => text)).toEqual([
      'The dry meadow held 57 fireflies.',
      'Moonlight halves the count.',
    ]);
    expect(page?.lines[0]?.box[0]).toBeCloseTo(72, 0);
  });

  it('have no picture after the most there may be', async () => {
    const whole = await viewPaper({ path, pages: [1], mostPicture: plenty }, program);
    const size = whole.pages.get(1)?.picture?.length ?? 0;
    const { pages } = await viewPaper({ path, pages: [1, 2], mostPicture: size }, program);
    expect([...pages.values()].map(({ picture }) => picture === null)).toEqual([false, true]);
    expect(pages.get(2)?.lines).toHaveLength(2);
  });

  it('are none where there are none', async () => {
    const { pages, broken } = await viewPaper({ path, pages: [3], mostPicture: plenty }, program);
    expect([pages.size, broken]).toEqual([0, []]);
    const text = join(folder, 'text.pdf');
    writeFileSync(text, 'no PDF');
    const none = await viewPaper({ path: text, pages: [1], mostPicture: plenty }, program);
    expect(none.pages.size).toBe(0);
  });

  it('are left out where the process ends in them', async () => {
    const ends = join(folder, 'ends.mjs');
    writeFileSync(
      ends,
      `let text = '';
      for await (const part of process.stdin) text += part;
      const say = (line) => process.stdout.write(JSON.stringify(line) + '\\n');
      for (const page of JSON.parse(text).pages) {
        say({ kind: 'begins', page });
        if (page % 2 === 0) process.exit(1);
        say({ kind: 'page', page, width: 1, height: 1, picture: null, lines: [] });
      }`,
    );
    const { pages, broken } = await viewPaper(
      { path, pages: [1, 2, 3, 4, 5], mostPicture: 0 },
      ends,
    );
    expect([[...pages.keys()], broken]).toEqual([
      [1, 3, 5],
      [2, 4],
    ]);
  });
});
