import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  meantStore,
  storeOfQuestions,
  theStore,
} from '../../../../client/runs/stores/store-files.js';
import { readPaper, writeStore } from '../../../support/stores/kept-paper.js';
import { placeOf } from '../../../support/stores/place-at.js';

/** A home with stores of these names, each of one paper. */
function homeWith(...names: readonly string[]): ReturnType<typeof placeOf> {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-stores-'));
  for (const name of names) {
    writeStore(home, name, [{ file: 'geese.pdf', paper: readPaper(), pdf: null }]);
  }
  return placeOf(home);
}
const asksPapers = { method: 'neusym_rag', plugins: [] };
const asksDatabase = { method: 'iterative', plugins: [] };

describe('the store that is meant', () => {
  it('is the one that is named', async () => {
    expect(await meantStore(homeWith('a', 'b'), 'b')).toMatchObject({ name: 'b' });
    await expect(meantStore(homeWith('a'), 'c')).rejects.toThrow(`there is no store 'c'`);
  });

  it('is the only one where none is named', async () => {
    expect(await meantStore(homeWith('a'), undefined)).toMatchObject({ name: 'a' });
    expect(await meantStore(homeWith('a'), undefined, 'stored-database')).toBeNull();
    expect(await meantStore(homeWith(), undefined)).toBeNull();
  });

  it('is not guessed', async () => {
    await expect(meantStore(homeWith('a', 'b'), undefined)).rejects.toThrow(
      'which store is meant? There are a, b: name one',
    );
    await expect(theStore(homeWith(), undefined)).rejects.toThrow('there are no stores yet');
  });
});

describe('the store of questions', () => {
  it.each([
    ['is the only one', asksPapers, false, 'a'],
    ['is asked by questions that name no database', asksDatabase, false, 'a'],
    ['is none where they name their databases', asksDatabase, true, undefined],
    [
      'is none where the method reads none',
      { ...asksPapers, method: 'trivial_question_only' },
      false,
      undefined,
    ],
  ])('%s', async (_, config, namesDatabases, name) => {
    const asked = { database: namesDatabases ? { path: 'x' } : undefined };
    const store = await storeOfQuestions(homeWith('a'), asked, config);
    expect(store?.name).toBe(name);
  });
});
