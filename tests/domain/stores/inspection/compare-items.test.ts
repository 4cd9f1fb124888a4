import { describe, expect, it } from 'vitest';
import type { Paper } from '../../../../domain/extraction/paper.js';
import { compareItems } from '../../../../domain/stores/inspection/compare-items.js';
import { shownPaper } from '../../../../domain/stores/inspection/shown-paper.js';
import { readPaper } from '../../../support/stores/kept-paper.js';

/** What differs, as `kind id`. */
const differences = (before: Partial<Paper>, after: Partial<Paper>): readonly string[] => {
  const [old, now] = [before, after].map((changes) =>
    shownPaper({ file: 'geese.pdf', paper: readPaper(changes) }),
  );
  return compareItems(old?.items ?? [], now?.items ?? []).flatMap((change) => {
    if (change.kind === 'same') return [];
    const ids = [...('before' in change ? [change.before.id] : [])];
    return [
      `${change.kind} ${[...ids, ...('after' in change ? [change.after.id] : [])].join(' ')}`,
    ];
  });
};

const [table] = readPaper().tables;
const [reference] = readPaper().references;
if (table === undefined || reference === undefined) throw new Error('The paper has both.');

describe('two extractions of a paper', () => {
  it('are the same where nothing differs, or only a box by a little', () => {
    expect(differences({}, {})).toEqual([]);
    expect(differences({}, { tables: [{ ...table, box: [71, 299, 203, 62] }] })).toEqual([]);
  });

  it('pair what has one number, one place or a similar text', () => {
    const read = { ...table, html: '<table><tr><td>north 214</td></tr></table>' };
    expect(differences({}, { tables: [{ ...read, box: [300, 300, 100, 60] }] })).toEqual([
      'changed table-1 table-1',
    ]);
    expect(differences({}, { tables: [{ ...read, number: null, caption: '' }] })).toEqual([
      'changed table-1 table-1',
    ]);
    const moved = { ...reference, label: null, page: 1, box: [72, 80, 9, 9] as const };
    expect(differences({}, { references: [moved] })).toEqual(['changed reference-1 reference-1']);
  });

  it('tell what only one of them has', () => {
    const second = { ...table, number: '2', caption: 'Table 2: Ducks.', page: 2 };
    expect(differences({}, { tables: [second, table], footnotes: [] })).toEqual([
      'added table-1',
      'removed footnote-1',
    ]);
  });

  it('compare the front matter as one item', () => {
    expect(differences({}, { title: 'Something Else', authors: [], abstract: null })).toEqual([
      'changed front-1 front-1',
    ]);
  });
});
