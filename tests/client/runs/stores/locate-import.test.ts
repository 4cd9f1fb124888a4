import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { locateImport } from '../../../../client/runs/stores/locate-import.js';

const folder = mkdtempSync(join(tmpdir(), 'turnwise-locate-'));
const at = (path: string): string => join(folder, path);
for (const file of [
  ...['papers/processed_data/a.json', 'papers/all.duckdb', 'papers/bm25.json'],
  ...['tables/a.csv', 'tables/b.parquet', 'one/shop.sqlite', 'two/a.duckdb', 'two/b.db'],
  ...['both/metadata/a.json', 'both/a.csv', 'empty/letter.txt', 'bm25.json', 'x.duckdb', 'y.csv'],
]) {
  mkdirSync(dirname(at(file)), { recursive: true });
  writeFileSync(at(file), '');
}

const refusal = (...paths: readonly string[]): string => {
  try {
    return JSON.stringify(locateImport(paths.map(at)));
  } catch (error) {
    return String(error).replace('UserError: ', '').replaceAll(`${folder}/`, '');
  }
};

describe('what there is to import', () => {
  it('is papers where folders or models of papers lie', () => {
    expect(locateImport([at('papers')])).toEqual({
      kind: 'papers',
      source: {
        database: at('papers/all.duckdb'),
        bm25: at('papers/bm25.json'),
        folders: [at('papers')],
      },
    });
    expect(locateImport([at('x.duckdb'), at('bm25.json')])).toMatchObject({
      source: { database: at('x.duckdb'), bm25: at('bm25.json'), folders: [] },
    });
  });

  it.each([
    ['x.duckdb', 'x.duckdb'],
    ['y.csv', 'y.csv'],
    ['tables', 'tables'],
    ['one', 'one/shop.sqlite'],
  ])('is a database at %s', (given, path) => {
    expect(locateImport([at(given)])).toEqual({ kind: 'database', path: at(path) });
  });

  it('is refused where it is nothing, several or ambiguous', () => {
    expect(refusal('nowhere')).toBe('there is no file or folder nowhere');
    expect(refusal('empty')).toMatch(/^there is nothing to import in empty: neither papers \(/);
    expect(refusal('two')).toBe('import one database at a time, not two/a.duckdb and two/b.db');
    expect(refusal('x.duckdb', 'tables')).toMatch(
      /^import one database at a time, not x\.duckdb and/,
    );
    expect(refusal('both')).toBe('both holds papers and tables: name the one or the other in it');
    expect(refusal('papers', 'tables')).toBe(
      'papers holds papers and tables holds tables: import one after the other, into a store each',
    );
    expect(refusal('papers', 'bm25.json')).toMatch(/^give one BM25 model, not /);
    expect(refusal('bm25.json')).toMatch(/^there are no papers to import in bm25\.json/);
  });
});
