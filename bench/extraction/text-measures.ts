import { isAlike, squash, squashLoosely, words } from './compare.js';
import type { MeasuredPaper } from './papers.js';
import { scoreOf, verdict, type Score } from './report.js';
import { gap, type PaperTruth } from './truth.js';

/** A paper with less says little. */
const fewestPhrases = 10;

/** Words of a phrase: enough to be found once in a paper. */
const phraseWords = 6;

/**
 * Neighbouring phrases of a paragraph of the source: whether the text of the pages has both, the second after the first. Phrases
 * that the source has twice do not count, letters of ligatures neither, nor do paragraphs of which the PDF does not print half. Null for less than ten pairs.
 */
export function scoreReadingOrder({ truth, paper, bare }: MeasuredPaper): Score | null {
  const pages = paper.pages.map((page) => squashLoosely(page.text));
  const printed = squashLoosely(bare);
  const source = squashLoosely(truth?.paragraphs.join('\n') ?? '');
  const pairs = (truth?.paragraphs ?? []).flatMap((paragraph) => {
    const phrases = phrasesOf(paragraph);
    const isPrinted =
      phrases.filter(({ key }) => printed.includes(key)).length >= phrases.length / 2;
    return phrases
      .slice(1)
      .map((second, index) => [phrases[index] ?? second, second] as const)
      .filter((pair) => isPrinted && pair.every(({ key }) => occursOnce(source, key)));
  });
  if (pairs.length < fewestPhrases) return null;
  const text = pages.join('');
  const faults = pairs.flatMap(([first, second]) => {
    const from = placeOf(first, text, pages, 0);
    const inOrder = from !== -1 && placeOf(second, text, pages, from + 1) !== -1;
    return inOrder ? [] : [`${first.text} / ${second.text}`];
  });
  return scoreOf(pairs.length, faults);
}

/**
 * Phrases of the source that the PDF prints: whether the abstract, a section, a footnote or the text before the first section has
 * them. What a figure, a table or a running head took is missed. Null for less than ten phrases.
 */
export function scoreRunningText({ truth, paper, bare }: MeasuredPaper): Score | null {
  const printed = squashLoosely(bare);
  const phrases = (truth?.paragraphs ?? [])
    .flatMap(phrasesOf)
    .filter(({ key }) => printed.includes(key));
  if (phrases.length < fewestPhrases) return null;
  const beforeSections = paper.chunks.filter(({ section }) => section === null);
  const texts = [
    paper.abstract ?? '',
    beforeSections.map(({ text }) => text).join(' '),
    ...paper.sections.map(({ text }) => text),
    ...paper.footnotes.map(({ text }) => text),
  ].map(squashLoosely);
  const missed = phrases.filter(({ key }) => !texts.some((text) => text.includes(key)));
  return scoreOf(
    phrases.length,
    missed.map(({ text }) => `- ${text}`),
  );
}

/** Where a phrase begins in the text, after `start`; -1 where it does not. The foot of a page and the head of the next may divide it. */
function placeOf(phrase: Phrase, text: string, pages: readonly string[], start: number): number {
  const at = text.indexOf(phrase.key, start);
  if (at !== -1) return at;
  const all = phrase.text.split(' ');
  let offset = 0;
  for (const [index, page] of pages.entries()) {
    const next = pages[index + 1] ?? '';
    for (let cut = 1; cut < all.length && offset + page.length > start; cut += 1) {
      const head = squashLoosely(all.slice(0, cut).join(' '));
      const tail = squashLoosely(all.slice(cut).join(' '));
      const place = page.lastIndexOf(head);
      if (place !== -1 && offset + place >= start && next.includes(tail)) return offset + place;
    }
    offset += page.length;
  }
  return -1;
}

interface Phrase {
  readonly text: string;
  readonly key: string;
}

function phrasesOf(paragraph: string): readonly Phrase[] {
  return paragraph.split(gap).flatMap((piece) => {
    const all = piece.split(' ').filter((word) => squash(word) !== '');
    return Array.from({ length: Math.floor(all.length / phraseWords) }, (_, index) => {
      const text = all.slice(index * phraseWords, (index + 1) * phraseWords).join(' ');
      return { text, key: squashLoosely(text) };
    });
  });
}

const occursOnce = (text: string, phrase: string): boolean => {
  const at = text.indexOf(phrase);
  return at !== -1 && !text.includes(phrase, at + 1);
};

/** Display equations by their number alone: the source has no boxes. */
export function scoreEquations({ truth, paper }: MeasuredPaper): Score | null {
  const expected = truth?.displayEquations ?? 0;
  const found = paper.equations.length;
  if (expected === 0) return null;
  const faults = expected === found ? [] : [`${expected} equations, ${found} found`];
  return { right: Math.min(expected, found), expected, found, faults };
}

/**
 * Whether the list of references has as many entries as the source. Null where the source does not tell: LaTeX prints `?` for a key
 * without an entry.
 */
export function scoreReferenceCount({ truth, paper, bare, whole }: MeasuredPaper): Score | null {
  const expected = truth?.references;
  if (expected === null || expected === undefined || !isPrinted(whole)) return null;
  const onlyKeys = expected.every(({ parts }) => parts.length === 0);
  if (onlyKeys && /[\s(]\?\s*[;,)\]]/.test(bare)) return null;
  const found = paper.references.length;
  return verdict(expected.length === found, `${expected.length} entries, ${found} found`);
}

const isPrinted = (whole: MeasuredPaper['whole']): boolean =>
  whole.holds('References') || whole.holds('Bibliography') || whole.holds('Literature');

/** Entries whose whole text, or whose title, year and first author, are known: whether one found entry has it all. */
export function scoreReferenceEntries({ truth, paper, whole }: MeasuredPaper): Score | null {
  const known = truth?.references?.filter(({ parts }) => parts.length > 0) ?? [];
  const printed = known.filter(({ parts }) => parts.every((part) => whole.holds(beginning(part))));
  if (printed.length === 0) return null;
  const missed = printed.filter(
    ({ parts }) =>
      !paper.references.some(({ text, label }) => {
        const [only = '', ...others] = parts;
        if (others.length === 0)
          return isAlike(only, text) || isAlike(only, `${label ?? ''} ${text}`);
        const squashed = squash(text);
        return parts.every((part) => squashed.includes(squash(part)));
      }),
  );
  const faults = missed.map(({ parts }) => `- ${parts.join(' · ')}`);
  return scoreOf(printed.length, faults, paper.references.length);
}

const beginning = (text: string): string => text.split(' ').slice(0, 4).join(' ');

/**
 * The words of abstract and sections against those of the source, aligned in order. Lists of references have measures of their own:
 * their style prints words that the source does not spell out. `right` counts words on both sides, so that the share is
 * 2 · common / (true + found). Some words where the source has a gap are free.
 */
export function scoreSimilarity({ truth, paper }: MeasuredPaper): Score | null {
  if (truth === null || truth.paragraphs.length === 0) return null;
  const expected = tokensOf(truth);
  const running = paper.sections.filter(({ title }) => !holdsReferences(title));
  const found = [paper.abstract ?? '', ...running.map(({ text }) => text)].flatMap(words);
  const { common, free, faults } = align(expected, found);
  const trueWords = expected.filter((word) => word !== gap).length;
  const all = trueWords + found.length - free;
  return { right: 2 * common, expected: all, found: all, faults };
}

const holdsReferences = (title: string): boolean =>
  ['references', 'bibliography'].includes(squash(title));

/** Words, and a gap wherever one stands in or beside a word. */
const tokensOf = ({ abstract, paragraphs }: PaperTruth): readonly string[] =>
  [abstract ?? '', ...paragraphs].flatMap((text) =>
    text.split(new RegExp(`(${gap})`)).flatMap((part) => (part === gap ? [gap] : words(part))),
  );

interface Alignment {
  /** Words that both have, in the same order. */
  readonly common: number;
  /** Found words at gaps. */
  readonly free: number;
  readonly faults: readonly string[];
}

/** Words of a formula that a gap stands for. Without a limit, a gap would excuse whole tables and paragraphs. */
const mostFree = 30;

/** What stands between two words that both have. */
interface Difference {
  readonly missing: string[];
  readonly added: string[];
  gaps: number;
}

function align(truth: readonly string[], found: readonly string[]): Alignment {
  const differences = differencesOf(truth, found);
  let free = 0;
  const faults: string[] = [];
  for (const { missing, added, gaps } of differences) {
    const excused = Math.min(added.length, mostFree * gaps);
    free += excused;
    if (missing.length > 0) faults.push(`- ${missing.join(' ')}`);
    if (added.length > excused) faults.push(`+ ${added.slice(excused).join(' ')}`);
  }
  return { common: differences.length - 1, free, faults };
}

const [match, skipTruth, skipFound] = [0, 1, 2];

/** Aligns as many words as possible: one difference before, between and after them, mostly empty. */
function differencesOf(truth: readonly string[], found: readonly string[]): readonly Difference[] {
  const width = found.length + 1;
  const steps = new Uint8Array((truth.length + 1) * width).fill(skipFound);
  let above = new Uint16Array(width);
  for (let row = 1; row <= truth.length; row += 1) {
    const current = new Uint16Array(width);
    for (let column = 0; column < width; column += 1) {
      const without = above[column] ?? 0;
      const before = column > 0 ? (current[column - 1] ?? 0) : -1;
      const isMatch = column > 0 && truth[row - 1] === found[column - 1];
      current[column] = isMatch ? (above[column - 1] ?? 0) + 1 : Math.max(without, before);
      steps[row * width + column] = isMatch ? match : without >= before ? skipTruth : skipFound;
    }
    above = current;
  }
  const differences: Difference[] = [{ missing: [], added: [], gaps: 0 }];
  for (let row = truth.length, column = found.length; row > 0 || column > 0;) {
    const difference = differences[0] ?? { missing: [], added: [], gaps: 0 };
    const step = row === 0 ? skipFound : column === 0 ? skipTruth : steps[row * width + column];
    if (step === match) differences.unshift({ missing: [], added: [], gaps: 0 });
    else if (step === skipFound) difference.added.unshift(found[column - 1] ?? '');
    else if (truth[row - 1] === gap) difference.gaps += 1;
    else difference.missing.unshift(truth[row - 1] ?? '');
    if (step !== skipFound) row -= 1;
    if (step !== skipTruth) column -= 1;
  }
  return differences;
}
