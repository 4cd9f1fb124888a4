import { describe, expect, it } from 'vitest';
import {
  addPapers,
  conflictMessage,
  conflictPolicySchema,
  type ConflictPolicy,
} from '../../../domain/stores/add-papers.js';
import { contentPaperId, paperId } from '../../../domain/stores/paper-rows.js';
import type { StoredPaper } from '../../../domain/stores/store-manifest.js';

/** @param digit - repeated, the SHA-256 */
const paper = (digit: string, title: string): StoredPaper => ({
  paperId: paperId(title),
  title,
  file: `${digit}.pdf`,
  sha256: digit.repeat(64),
  pages: 1,
});
const underContent = (stored: StoredPaper): StoredPaper => ({
  ...stored,
  paperId: contentPaperId(stored),
});

const ovens = paper('5', 'Ovens');
const bread = paper('6', 'Bread');
const otherOvens = paper('1', 'Ovens');
const thirdOvens = paper('9', 'OVENS');

const policies = conflictPolicySchema.options.map((policy) => [policy] as const);

describe.each(policies)('adding papers by the policy %s', (policy) => {
  it('keeps those that are there and appends the others', () => {
    const { papers, ignored, conflicts } = addPapers([ovens], [bread], policy);
    expect({ papers, ignored, conflicts }).toEqual({
      papers: [ovens, bread],
      ignored: [],
      conflicts: [],
    });
  });

  it('takes the same PDF twice as one paper, under whatever file name', () => {
    const copy = { ...ovens, file: 'copy.pdf' };
    expect(addPapers([], [ovens, copy], policy).papers).toHaveLength(1);
    expect(addPapers([ovens], [ovens], policy)).toMatchObject({
      papers: [ovens],
      ignored: [],
      conflicts: [],
    });
  });

  it('gives the same result for every order of the added papers', () => {
    const added = [bread, thirdOvens, ovens, otherOvens];
    expect(addPapers([], added, policy)).toEqual(addPapers([], added.toReversed(), policy));
  });

  it('never leaves out a paper that was read again and has another title now', () => {
    const retitled = { ...bread, paperId: ovens.paperId, title: 'Ovens' };
    const { papers, ignored, conflicts } = addPapers([ovens, bread], [retitled], policy);
    expect(papers).toEqual([ovens, underContent(retitled)]);
    expect([...ignored, ...conflicts]).toEqual([]);
  });

  it('keeps the id of a paper that was read again and has its title still', () => {
    const present = [ovens, underContent(otherOvens)];
    const { papers } = addPapers(present, [{ ...otherOvens, pages: 2 }], policy);
    expect(papers).toEqual([ovens, { ...underContent(otherOvens), pages: 2 }]);
  });
});

describe('an imported paper', () => {
  const id = 'a0000000-0000-5000-8000-000000000000';
  const imported: StoredPaper = { ...ovens, paperId: id, imported: { hasPdf: true } };

  it.each(policies)('keeps its id beside imported ones of its title by the policy %s', (policy) => {
    const other = { ...otherOvens, paperId: id.replace('a', 'b'), imported: { hasPdf: false } };
    expect(addPapers([imported], [other], policy).papers).toEqual([imported, other]);
  });

  it('takes the place of the PDF that was read, with its id', () => {
    expect(addPapers([ovens], [imported], 'keep-both').papers).toEqual([imported]);
  });

  it('conflicts with a PDF of its title', () => {
    const adding = (policy: ConflictPolicy) => addPapers([imported], [thirdOvens], policy);
    expect(adding('keep-both').papers).toEqual([imported, thirdOvens]);
    expect(adding('ignore')).toMatchObject({ papers: [imported], ignored: [thirdOvens.sha256] });
    expect(adding('replace').papers).toEqual([thirdOvens]);
    expect(adding('raise').conflicts).toEqual([{ paper: thirdOvens, holder: imported }]);
  });
});

describe('a PDF with the title of another paper', () => {
  it('is kept beside it, with an id of its own', () => {
    expect(addPapers([ovens], [otherOvens], 'keep-both').papers).toEqual([
      ovens,
      underContent(otherOvens),
    ]);
  });

  it('leaves the id of the title to the first by SHA-256 among new ones', () => {
    expect(addPapers([], [thirdOvens, otherOvens], 'keep-both').papers).toEqual([
      otherOvens,
      underContent(thirdOvens),
    ]);
  });

  it('is ignored', () => {
    expect(addPapers([ovens], [thirdOvens, otherOvens], 'ignore')).toMatchObject({
      papers: [ovens],
      ignored: [otherOvens.sha256, thirdOvens.sha256],
    });
  });

  it('replaces it, in its place and with its id', () => {
    expect(addPapers([ovens, bread], [otherOvens], 'replace').papers).toEqual([otherOvens, bread]);
  });

  it('replaces no other new one', () => {
    expect(addPapers([ovens, bread], [thirdOvens, otherOvens], 'replace').papers).toEqual([
      otherOvens,
      bread,
      underContent(thirdOvens),
    ]);
    expect(addPapers([], [thirdOvens, otherOvens], 'replace').papers).toEqual([
      otherOvens,
      underContent(thirdOvens),
    ]);
  });

  it('is a conflict that a sentence names', () => {
    const { conflicts } = addPapers([ovens], [otherOvens, bread], 'raise');
    expect(conflictMessage(conflicts)).toBe(
      "1.pdf has the title of 5.pdf ('Ovens'); leave them out, or choose another policy than --on-conflict raise",
    );
  });

  it('is not named where there are many', () => {
    const many = ['1', '2', '3', '4'].map((digit) => paper(digit, 'Ovens'));
    const message = conflictMessage(addPapers([ovens], many, 'raise').conflicts);
    expect(message).toContain("3.pdf has the title of 5.pdf ('Ovens'), and so on for 1 more;");
    expect(message).not.toContain('4.pdf');
  });
});
