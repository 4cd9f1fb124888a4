import type { Box } from '../../domain/extraction/page-content.js';
import type { Paper, Section } from '../../domain/extraction/paper.js';
import { assign, isAlike, isSame, isSameWording, squash } from './compare.js';
import type { MeasuredPaper } from './papers.js';
import { scoreOf, verdict, type Aims, type Result, type Score } from './report.js';
import { cellsOfHtml } from './table-cells.js';
import {
  scoreEquations,
  scoreReadingOrder,
  scoreReferenceCount,
  scoreReferenceEntries,
  scoreRunningText,
  scoreSimilarity,
} from './text-measures.js';
import type { CaptionTruth } from './truth.js';

interface Measure extends Pick<Result, 'name' | 'aims' | 'as'> {
  /** For the example papers. @defaultValue a recall of 0.98 */
  readonly exampleAims?: Aims;
  /** Whether it needs a source that says nearly everything, as those of the example papers do. */
  readonly examplesOnly?: true;
  /** Null where a paper does not say how it should be. */
  readonly score: (paper: MeasuredPaper) => Score | null;
}

const where =
  (holds: (paper: MeasuredPaper) => boolean, score: Measure['score']): Measure['score'] =>
  (paper) =>
    holds(paper) ? score(paper) : null;

/** Whether anyone at all was found, over all papers. */
const scoreAnyAuthor = ({ paper }: MeasuredPaper): Score =>
  verdict(paper.authors.length > 0, 'no author');

const hasOutline = ({ content }: MeasuredPaper): boolean => content.outline.length > 0;

const hasColumns = ({ truth }: MeasuredPaper): boolean => truth?.columns === 2;

/** In the order of the table. The beginning of a name chooses measures with `--only`. */
export const measures: readonly Measure[] = [
  {
    name: 'sections of PDFs with an outline',
    aims: { recall: 0.95, precision: 0.97 },
    score: where(hasOutline, scoreSections),
  },
  {
    name: 'sections of PDFs without an outline',
    aims: { recall: 0.85, precision: 0.9 },
    score: where((paper) => !hasOutline(paper), scoreSections),
  },
  { name: 'sections with the right level', aims: {}, score: scoreLevels },
  { name: 'title right', aims: { recall: 0.97 }, exampleAims: { recall: 1 }, score: scoreTitle },
  {
    name: 'authors exact',
    aims: { recall: 0.85 },
    exampleAims: { recall: 1 },
    score: scoreAuthors,
  },
  {
    name: 'authors: none at all',
    aims: { recall: 0.1 },
    exampleAims: { recall: 0 },
    as: 'share missed',
    score: scoreAnyAuthor,
  },
  {
    name: 'captions of figures, with boxes',
    aims: { recall: 0.97 },
    score: (paper) => scoreCaptions('figure', paper),
  },
  {
    name: 'captions of tables, with boxes',
    aims: { recall: 0.97 },
    score: (paper) => scoreCaptions('table', paper),
  },
  {
    name: 'references: papers with the right count',
    aims: { recall: 0.9 },
    score: scoreReferenceCount,
  },
  { name: 'references: entries whole', aims: { recall: 0.98 }, score: scoreReferenceEntries },
  { name: 'cells of tables', aims: {}, score: scoreCells },
  {
    name: 'text similarity of abstract and sections, without references',
    aims: {},
    examplesOnly: true,
    score: scoreSimilarity,
  },
  { name: 'phrases of the source in the running text', aims: {}, score: scoreRunningText },
  { name: 'equations by number', aims: {}, exampleAims: {}, score: scoreEquations },
  {
    name: 'reading order, one column',
    aims: { recall: 0.993 },
    exampleAims: {},
    score: where((paper) => !hasColumns(paper), scoreReadingOrder),
  },
  {
    name: 'reading order, two columns',
    aims: { recall: 0.983 },
    score: where(hasColumns, scoreReadingOrder),
  },
];

/** Null where the source has no title, or the PDF prints another one. */
export function scoreTitle({ truth, paper, front }: MeasuredPaper): Score | null {
  const printed = truth?.titles.filter((title) => front.holds(title)) ?? [];
  if (printed.length === 0) return null;
  const found = foundTitles(paper);
  const right = printed.some((title) => found.some((text) => isSameWording(title, text)));
  return verdict(right, `${quoted(printed.at(-1))} read as ${quoted(found[0])}`);
}

/** The source may give a title without its subtitle. */
function foundTitles({ title, subtitle }: Paper): readonly string[] {
  if (title === null) return [];
  return subtitle === null ? [title] : [title, title.slice(0, -subtitle.length)];
}

/** Null where the source gives no names, or the PDF prints others. */
export function scoreAuthors({ truth, paper, front }: MeasuredPaper): Score | null {
  const authors = truth?.authors ?? [];
  if (authors.length === 0 || !authors.every((name) => front.holds(name))) return null;
  const right =
    authors.length === paper.authors.length &&
    authors.every((name, index) => squash(name) === squash(paper.authors[index] ?? ''));
  return verdict(right, `${authors.join(', ')} read as ${paper.authors.join(' | ') || 'none'}`);
}

const quoted = (text: string | undefined): string =>
  text === undefined ? 'none' : JSON.stringify(text);

/** Headings that a document class prints of its own accord. */
const ofTheClass = new Set(
  'abstract affiliation appendix bibliography contents index keywords listoffigures listoftables references tableofcontents'.split(
    ' ',
  ),
);

/** Sections of all levels by their titles. Null where the source does not give them all. */
export function scoreSections({ truth, paper, whole }: MeasuredPaper): Score | null {
  const sections = truth?.sections ?? [];
  const printed = sections.filter(({ title }) => whole.holds(title));
  if (truth === null || printed.length < mostlyPrinted * sections.length || printed.length === 0) {
    return null;
  }
  const fits = (title: string, section: Section): boolean =>
    isSame(title, section.title) || isSame(title, `${section.number ?? ''}${section.title}`);
  const matched = assign(printed, paper.sections, ({ title }, found) => fits(title, found));
  const unprinted = sections.filter((section) => !printed.includes(section));
  const allowed = [...truth.possibleSections, ...unprinted.map(({ title }) => title)];
  const wrong = paper.sections.filter(
    (section, index) =>
      !matched.includes(index) &&
      !ofTheClass.has(squash(section.title)) &&
      !allowed.some((title) => fits(title, section)),
  );
  const missed = printed.filter((_, index) => matched[index] === -1);
  const right = printed.length - missed.length;
  return {
    right,
    expected: printed.length,
    found: right + wrong.length,
    faults: [
      ...missed.map(({ level, title }) => `- ${'#'.repeat(level)} ${title}`),
      ...wrong.map(
        ({ level, number, title, pages }) =>
          `+ ${'#'.repeat(level)} ${number ?? ''} ${title} (page ${pages[0] ?? '?'})`,
      ),
    ],
  };
}

/** A source of which the PDF prints less belongs to another version of the paper. */
const mostlyPrinted = 0.8;

/** Whether the sections that were found by their titles have the right level, counted from that of the first one. */
export function scoreLevels({ truth, paper, whole }: MeasuredPaper): Score | null {
  const printed = truth?.sections?.filter(({ title }) => whole.holds(title)) ?? [];
  const matched = assign(printed, paper.sections, ({ title }, found) => isSame(title, found.title));
  const pairs = printed.flatMap(({ title, level }, index) => {
    const section = paper.sections[matched[index] ?? -1];
    return section === undefined ? [] : [{ title, level, found: section.level }];
  });
  const top = Math.min(...pairs.map(({ level }) => level));
  const foundTop = Math.min(...pairs.map(({ found }) => found));
  const wrong = pairs.filter(({ level, found }) => level - top !== found - foundTop);
  if (pairs.length === 0) return null;
  return scoreOf(
    pairs.length,
    wrong.map(({ title, level, found }) => `level ${level} read as ${found}: ${title}`),
  );
}

/** Captions of one kind, found whole and with a box. Null where the source has none. */
export function scoreCaptions(
  kind: CaptionTruth['kind'],
  { truth, paper, whole }: MeasuredPaper,
): Score | null {
  const captions = truth?.captions.filter((caption) => caption.kind === kind) ?? [];
  const printed = captions.filter(({ text }) => whole.holds(beginning(text)));
  const found = (kind === 'figure' ? paper.figures : paper.tables).filter(
    ({ caption }) => caption !== '',
  );
  const matched = assign(
    printed,
    found,
    (truth, { caption, box }) =>
      isAlike(truth.text, withoutLabel(caption)) && box !== null && hasArea(box),
  );
  const missed = printed.filter((_, index) => matched[index] === -1);
  const others = found.filter((_, index) => !matched.includes(index));
  if (printed.length === 0) return null;
  return {
    right: printed.length - missed.length,
    expected: printed.length,
    found: found.length,
    faults: [
      ...missed.map(({ text }) => `- ${text}`),
      ...(missed.length === 0
        ? []
        : others.map(({ caption, page }) => `+ ${caption} (page ${page})`)),
    ],
  };
}

/** Cells that the source spells out, in the table with their caption. */
function scoreCells({ truth, paper }: MeasuredPaper): Score | null {
  const tables = truth?.captions.filter(({ cells }) => cells.length > 0) ?? [];
  if (tables.length === 0) return null;
  const fits = (table: CaptionTruth, { caption }: { readonly caption: string }): boolean =>
    isAlike(table.text, withoutLabel(caption));
  const matched = assign(tables, paper.tables, fits);
  const missed = tables.flatMap(({ text, cells }, index) => {
    const html = paper.tables[matched[index] ?? -1]?.html ?? '';
    const found = cellsOfHtml(html).map((cell) => cell.text);
    const partners = assign(cells, found, isSame);
    return cells.filter((_, cell) => partners[cell] === -1).map((cell) => `- ${cell} (${text})`);
  });
  const expected = tables.reduce((sum, { cells }) => sum + cells.length, 0);
  return scoreOf(expected, missed);
}

/** Enough to see whether a caption is printed: a formula in its end does not hide it. */
const beginning = (text: string): string => text.split(' ').slice(0, 5).join(' ');

const withoutLabel = (caption: string): string =>
  caption.replace(
    /^\s*(?:fig(?:ure)?|tab(?:le)?)\.?\s*(?:[A-Z]?[\d.]*\d|[A-Z]|[IVX]+)?\s*[:.|–—-]?\s+/iu,
    '',
  );

const hasArea = ([, , width, height]: Box): boolean => width > 0 && height > 0;
