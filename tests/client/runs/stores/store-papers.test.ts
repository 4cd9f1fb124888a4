import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../../client/runs/stores/store-files.js';
import {
  findPaper,
  findSamePaper,
  pdfOf,
  readPaper as readKept,
} from '../../../../client/runs/stores/store-papers.js';
import { readPaper, writeStore } from '../../../support/stores/kept-paper.js';
import { placeOf } from '../../../support/stores/place-at.js';

const home = mkdtempSync(join(tmpdir(), 'turnwise-papers-'));
const geese = { file: 'geese.pdf', paper: readPaper(), pdf: Buffer.from('%PDF-geese') };
const ducks = { file: 'ducks.pdf', paper: readPaper({ title: 'Counting Ducks' }), pdf: null };
writeStore(home, 'mine', [geese, ducks]);
writeStore(home, 'old', [{ ...geese, file: 'renamed.pdf', version: 1 }]);
const settings = placeOf(home);
const [mine, old] = [await openStore(settings, 'mine'), await openStore(settings, 'old')];

describe('a paper of a store', () => {
  it.each([
    ['its id', mine.papers[1]?.paperId ?? '', 'ducks.pdf'],
    ['its file name', 'geese.pdf', 'geese.pdf'],
    ['its title in any letters', 'counting ducks', 'ducks.pdf'],
    ['a part that no other has', 'duck', 'ducks.pdf'],
  ])('is found by %s', (_by, wanted, file) => {
    expect(findPaper(mine, wanted).file).toBe(file);
  });

  it('is not guessed where several fit, or none', () => {
    expect(() => findPaper(mine, 'counting')).toThrow(
      /'counting' names 2 papers: .*geese\.pdf, Counting Geese\); .*ducks\.pdf.*; give the id of one in store mine/,
    );
    expect(() => findPaper(mine, 'swans')).toThrow(/has no paper 'swans'; `turnwise store show/);
  });

  it('is the same in another store that has its PDF', () => {
    expect(findSamePaper(old, findPaper(mine, 'geese')).file).toBe('renamed.pdf');
    expect(() => findSamePaper(old, findPaper(mine, 'ducks'))).toThrow(
      'store old has no paper ducks.pdf to compare with',
    );
  });

  it('can be read whatever version read it', async () => {
    expect(await readKept(settings, old, findPaper(old, 'renamed'))).toMatchObject({
      version: 1,
      paper: { title: 'Counting Geese' },
    });
  });

  it('may have no PDF, or a damaged text', async () => {
    const [ofGeese, ofDucks] = ['geese', 'ducks'].map((part) => findPaper(mine, part));
    if (ofGeese === undefined || ofDucks === undefined) throw new Error('Both are there.');
    expect(await pdfOf(settings, mine, ofGeese)).toMatch(/\.pdf$/);
    expect(await pdfOf(settings, mine, ofDucks)).toBeNull();
    writeFileSync(join(home, 'stores/mine/papers', `${ofDucks.sha256}.json`), '{"version":');
    await expect(readKept(settings, mine, ofDucks)).rejects.toThrow(
      'the text of ducks.pdf is damaged or of another version: `turnwise store check mine --repair`',
    );
  });
});
