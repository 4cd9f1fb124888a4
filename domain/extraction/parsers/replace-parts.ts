import { groupBy, countsOf } from '../../statistics/means.js';
import { labelOf } from '../captions.js';
import {
  chunksOfText,
  pageLookup,
  sentenceEnds,
  parentOf,
  type PagedText,
  type PageStart,
} from '../chunks.js';
import type { Chunk, Paper, PaperEquation, Section } from '../paper.js';
import type {
  EquationPart,
  FigurePart,
  PaperParts,
  PartPlace,
  Passage,
  ReferencePart,
  SectionsPart,
  TablePart,
} from './paper-parts.js';

/**
 * Puts the parts of another parser in place of those of a paper; what the parser does not give stays. An item without a place
 * gets that of the paper's item with its number or its words. Otherwise its page is the one on which its text is printed, or
 * that of the item before it, and it has no box.
 */
export function replaceParts(paper: Paper, parts: PaperParts): Paper {
  const { sections, tables, figures, equations, references, ...frontMatter } = parts;
  const printed = indexPages(paper.pages.map(({ text }) => text));
  return {
    ...paper,
    ...frontMatter,
    ...(sections && replacedSections(sections, paper, printed)),
    ...(tables && { tables: replacedTables(tables, paper, printed) }),
    ...(figures && { figures: replacedFigures(figures, paper, printed) }),
    ...(equations && { equations: replacedEquations(equations, paper, printed) }),
    ...(references && replacedReferences(references, paper, printed)),
  };
}

function replacedSections(
  { opening, list }: SectionsPart,
  paper: Paper,
  printed: PrintedText,
): Pick<Paper, 'sections' | 'chunks'> {
  const known = matchHeadings(
    list.map(({ title }) => title),
    paper.sections,
  );
  const levels = list.map(({ level }, index) => ({ level: level ?? known[index]?.level ?? 1 }));
  let page = 1;
  const before = pagedText(opening, page, printed);
  page = before.lastPage;
  const sections: Section[] = [];
  const chunks: Chunk[] = [...chunksOfText(before, null)];
  for (const [index, part] of list.entries()) {
    const same = known[index];
    const heading = part.page ?? same?.pages[0] ?? null;
    const content = pagedText(part.passages, heading ?? page, printed);
    page = content.lastPage;
    sections.push({
      // A parser that tells no numbers may leave one in the title.
      title: part.number === null && same !== undefined ? same.title : part.title,
      number: part.number ?? same?.number ?? null,
      level: levels[index]?.level ?? 1,
      parent: parentOf(levels, index),
      text: content.text,
      pages: [...new Set([heading ?? content.pages[0] ?? page, ...content.pages])].sort(
        (a, b) => a - b,
      ),
    });
    chunks.push(...chunksOfText(content, index));
  }
  return { sections, chunks };
}

/** The section of the paper with each title. A title that the paper has twice goes to the next one in order. */
function matchHeadings(
  titles: readonly string[],
  sections: readonly Section[],
): readonly (Section | undefined)[] {
  const spelled = sections.map(({ number, title }) =>
    [title, `${number ?? ''} ${title}`].map((text) => wordsOf(text).join(' ')),
  );
  let next = 0;
  return titles.map((title) => {
    const words = wordsOf(title).join(' ');
    const after = spelled.findIndex((texts, index) => index >= next && texts.includes(words));
    const at = after === -1 ? spelled.findIndex((texts) => texts.includes(words)) : after;
    if (at === -1) return undefined;
    next = at + 1;
    return sections[at];
  });
}

/** The passages, each on a line, with the page of each sentence. */
function pagedText(passages: readonly Passage[], from: number, printed: PrintedText) {
  const starts: PageStart[] = [];
  let text = '';
  let page = from;
  for (const passage of passages) {
    if (text !== '') text += '\n';
    page = passage.page ?? page;
    let start = 0;
    for (const end of [...sentenceEnds(passage.text), passage.text.length]) {
      page = printed.pageOf(passage.text.slice(start, end), page) ?? page;
      starts.push({ at: text.length + start, page });
      start = end;
    }
    text += passage.text;
  }
  const pages = starts.map((start) => start.page);
  return {
    text,
    pageAt: starts.length === 0 ? () => from : pageLookup(starts),
    pages: [...new Set(pages)],
    lastPage: page,
  } satisfies PagedText & { readonly pages: readonly number[]; readonly lastPage: number };
}

/** The places of items in order: the parser's own, that of the paper's item, or the page of their texts. */
function placer(paper: Paper, printed: PrintedText) {
  let last = 1;
  return (part: PartPlace, same: PartPlace | undefined, text: string) => {
    const page = part.page ?? same?.page ?? printed.pageOf(text, last) ?? last;
    const isKnown = page <= paper.pages.length;
    last = isKnown ? page : last;
    const box = part.box ?? (part.page === null || part.page === same?.page ? same?.box : null);
    return { page: last, box: isKnown ? (box ?? null) : null };
  };
}

/** The paper's item that is the same as each part. @param likened - what tells that they are */
function sameItems<Kind, Item extends Kind>(
  parts: readonly Kind[],
  items: readonly Item[],
  likened: (either: Kind) => Likened,
): readonly (Item | undefined)[] {
  const matches = matchItems(parts.map(likened), items.map(likened));
  return parts.map((_, index) => items[matches.get(index) ?? -1]);
}

function replacedTables(
  parts: readonly TablePart[],
  paper: Paper,
  printed: PrintedText,
): Paper['tables'] {
  const place = placer(paper, printed);
  const known = sameItems(parts, paper.tables, ({ number, caption, html }) => ({
    number,
    text: caption || cellsOf(html ?? ''),
  }));
  return parts.map((part, index) => {
    const same = known[index];
    return {
      ...captionOf(part, same),
      html: part.html ?? same?.html ?? '',
      ...place(part, same, part.caption || cellsOf(part.html ?? '')),
    };
  });
}

const cellsOf = (html: string): string => html.replace(/<[^>]*>/g, ' ');

function replacedFigures(
  parts: readonly FigurePart[],
  paper: Paper,
  printed: PrintedText,
): Paper['figures'] {
  const place = placer(paper, printed);
  const known = sameItems(parts, paper.figures, ({ number, caption: text }) => ({ number, text }));
  return parts.map((part, index) => {
    const same = known[index];
    return { ...captionOf(part, same), ...place(part, same, part.caption) };
  });
}

/** A caption without its number gets the label that is printed. */
function captionOf(
  { caption, number }: FigurePart,
  same: FigurePart | undefined,
): { readonly caption: string; readonly number: string | null } {
  const printed = number === null && same !== undefined ? labelOf(same.caption) : null;
  return printed === null || caption === ''
    ? { caption: caption || (same?.caption ?? ''), number: number ?? same?.number ?? null }
    : { caption: `${printed.label}: ${caption}`, number: same?.number ?? printed.number };
}

function replacedEquations(
  parts: readonly EquationPart[],
  paper: Paper,
  printed: PrintedText,
): PaperEquation[] {
  const place = placer(paper, printed);
  const known = sameItems(parts, paper.equations, ({ number, latex: text }) => ({ number, text }));
  return parts.map((part, index) => {
    const same = known[index];
    return {
      text: same?.text ?? '',
      latex: part.latex,
      number: part.number ?? same?.number ?? null,
      ...place(part, same, part.latex),
    };
  });
}

/** The citations of entries that the parser does not give go. */
function replacedReferences(
  parts: readonly ReferencePart[],
  paper: Paper,
  printed: PrintedText,
): Pick<Paper, 'references' | 'citations'> {
  const place = placer(paper, printed);
  const known = sameItems(parts, paper.references, ({ text }) => ({ number: null, text }));
  return {
    references: parts.map((part, index) => {
      const same = known[index];
      return {
        text: part.text,
        label: part.label ?? same?.label ?? null,
        authors: [...part.authors],
        year: part.year,
        title: part.title,
        ...place(part, same, part.text),
      };
    }),
    citations: paper.citations.flatMap((citation) => {
      const cited = paper.references[citation.reference];
      const reference = cited === undefined ? -1 : known.indexOf(cited);
      return reference === -1 ? [] : [{ ...citation, reference }];
    }),
  };
}

/** What tells that an item of a parser and one of PDFium are the same. */
interface Likened {
  readonly number: string | null;
  /** Caption, cells, formula or entry. */
  readonly text: string;
}

/** Less alike than this, items are different ones. */
const leastLike = 0.5;

/**
 * The PDFium item of each item of a parser, by index; the likest pairs first, each item once. Items of one number are alike,
 * those of two numbers are not; without a number, the words count.
 */
function matchItems(
  parts: readonly Likened[],
  items: readonly Likened[],
): ReadonlyMap<number, number> {
  const likenesses = likenessTo(items.map(({ text }) => text));
  const pairs = parts.flatMap((part, partIndex) => {
    const words = likenesses(part.text);
    return items.flatMap((item, itemIndex) => {
      const alike = likenessOf(part, item, words[itemIndex] ?? 0);
      return alike < leastLike ? [] : [{ partIndex, itemIndex, alike }];
    });
  });
  // Where two pairs are equally alike, the order of the document decides.
  pairs.sort((a, b) => b.alike - a.alike || a.partIndex - b.partIndex || a.itemIndex - b.itemIndex);
  const matches = new Map<number, number>();
  const used = new Set<number>();
  for (const { partIndex, itemIndex } of pairs) {
    if (matches.has(partIndex) || used.has(itemIndex)) continue;
    matches.set(partIndex, itemIndex);
    used.add(itemIndex);
  }
  return matches;
}

function likenessOf(part: Likened, item: Likened, words: number): number {
  if (part.number === null || item.number === null) return words;
  return bare(part.number) === bare(item.number) ? 1 + words : 0;
}

const bare = (number: string): string => number.toLowerCase().replace(/[^\p{L}\p{N}.]/gu, '');

/**
 * Of a text, the share of words that it has in common with each of some texts, from 0 to 1 (Dice's coefficient of their
 * multisets of words).
 */
function likenessTo(texts: readonly string[]): (text: string) => readonly number[] {
  const wordLists = texts.map(wordsOf);
  const counted = wordLists.flatMap((words, index) =>
    [...countsOf(words)].map(([word, count]) => ({ word, index, count })),
  );
  const holders = groupBy(counted, ({ word }) => word);
  return (text) => {
    const words = wordsOf(text);
    const shared = wordLists.map(() => 0);
    for (const [word, count] of countsOf(words)) {
      for (const { index, count: held } of holders.get(word) ?? []) {
        shared[index] = (shared[index] ?? 0) + Math.min(count, held);
      }
    }
    return shared.map((common, index) => {
      const both = words.length + (wordLists[index]?.length ?? 0);
      return both === 0 ? 0 : (2 * common) / both;
    });
  };
}

/** Finds texts of another parser on the pages of a PDF, whose words are the same but not its lines, hyphens and formulas. */
interface PrintedText {
  /**
   * The page, from 1, on which a text begins; null where too few of its words are found one after the other.
   * @param near - of several such pages, the first one from here on counts, else the last one before
   */
  readonly pageOf: (text: string, near: number) => number | null;
}

/** Words one after the other that are looked up at once. */
const shingleLength = 3;
/** The first words of a text tell where it begins. */
const firstWords = 14;
/** The share of them that must be found. Formulas and citations are written in another way. */
const leastFound = 0.3;

/** @param pages - their texts, in order */
function indexPages(pages: readonly string[]): PrintedText {
  const printed = pages.flatMap((text, index) =>
    [...new Set(shinglesOf(wordsOf(text)))].map((shingle) => ({ shingle, page: index + 1 })),
  );
  const placesOf = groupBy(printed, ({ shingle }) => shingle);
  return {
    pageOf: (text, near) => {
      const shingles = shinglesOf(wordsOf(text).slice(0, firstWords));
      const counts = countsOf(
        shingles.flatMap((shingle) => placesOf.get(shingle) ?? []).map(({ page }) => page),
      );
      const most = Math.max(0, ...counts.values());
      if (most === 0 || most < shingles.length * leastFound) return null;
      const best = [...counts].filter(([, count]) => count === most).map(([page]) => page);
      best.sort((a, b) => a - b);
      return best.find((page) => page >= near) ?? best.at(-1) ?? null;
    },
  };
}

function shinglesOf(words: readonly string[]): readonly string[] {
  if (words.length < shingleLength) return [];
  return Array.from({ length: words.length - shingleLength + 1 }, (_, start) =>
    words.slice(start, start + shingleLength).join(' '),
  );
}

/** The words of a text, without case, accents and punctuation. */
const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}\u00AD]/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
