import type { OutlineEntry, PdfContent } from '../page-content.js';
import type { Candidate } from './candidates.js';
import { readNumbers } from './section-number.js';

/** An outline entry with the place where its heading is printed. */
export interface LocatedEntry {
  readonly candidate: Candidate;
  /** From 1, the title of the paper not counted. */
  readonly level: number;
  readonly title: string;
}

/** Entries whose text is printed where they point to, or near it. Entries for the title, figures and the like are left out. */
export function locateOutline(
  { outline }: PdfContent,
  candidates: readonly Candidate[],
): readonly LocatedEntry[] {
  const sections = withoutTitle(outline).filter(({ title }) => !isLabel.test(title));
  const byPage = new Map<number, Candidate[]>();
  for (const candidate of candidates) {
    const onPage = byPage.get(candidate.page);
    if (onPage === undefined) byPage.set(candidate.page, [candidate]);
    else onPage.push(candidate);
  }
  const taken = new Set<Candidate>();
  const located = sections.flatMap((entry) => {
    const candidate = locate(entry, byPage, taken);
    if (candidate === undefined) return [];
    taken.add(candidate);
    return [{ candidate, level: entry.level, title: entry.title }];
  });
  const body = located.filter((entry) => !isTitle(entry, located));
  const top = Math.min(...body.map(({ level }) => level));
  return body.map((entry) => ({ ...entry, level: entry.level - top + 1 }));
}

const isLabel = /^(fig(ure|\.)|tab(le|\.))\s*\d/i;

/** A single entry above all others is the title. */
function withoutTitle(outline: readonly OutlineEntry[]): readonly OutlineEntry[] {
  const top = Math.min(...outline.map(({ level }) => level));
  const [first, ...others] = outline.filter(({ level }) => level === top);
  return first !== undefined && others.length === 0 && outline.length > 1
    ? outline.filter((entry) => entry !== first)
    : outline;
}

/** The first entry, on page 1, in larger print than all others. */
const isTitle = ({ candidate }: LocatedEntry, all: readonly LocatedEntry[]): boolean =>
  candidate.page === 0 &&
  candidate === all[0]?.candidate &&
  all.length > 2 &&
  all.slice(1).every((other) => other.candidate.fontSize < candidate.fontSize - 0.5);

/** How like an outline entry the text at its place must be: fonts of formulas and macros change some characters. */
const leastLikeness = 0.6;
/** Points from the place of an entry to its heading, which stands below it. */
const farthest = 70;

function locate(
  { title, page, y }: OutlineEntry,
  byPage: ReadonlyMap<number, readonly Candidate[]>,
  taken: ReadonlySet<Candidate>,
): Candidate | undefined {
  const free = (index: number): readonly Candidate[] =>
    (byPage.get(index) ?? []).filter((candidate) => !taken.has(candidate));
  const distance = (candidate: Candidate): number => (y === null ? 0 : Math.abs(candidate.y - y));
  const wanted = readingsOf(title);
  const same = [page - 1, page, page - 2].flatMap((index) =>
    free(index)
      .filter((candidate) => readingsOf(candidate.text).some((text) => wanted.includes(text)))
      .sort((a, b) => distance(a) - distance(b)),
  );
  if (same[0] !== undefined) return same[0];
  const near = free(page - 1).filter(
    (candidate) => y === null || (candidate.y > y - 10 && candidate.y < y + farthest),
  );
  const [best] = near
    .map((candidate) => ({
      candidate,
      likeness: Math.max(
        ...readingsOf(candidate.text).flatMap((text) => wanted.map((own) => likenessOf(text, own))),
      ),
    }))
    .sort((a, b) => b.likeness - a.likeness);
  return best !== undefined && best.likeness >= leastLikeness ? best.candidate : undefined;
}

/** The letters and digits of a title with and without its number. */
const readingsOf = (text: string): readonly string[] =>
  [text, ...readNumbers(text).map(({ title }) => title)]
    .map(comparable)
    .filter((letters) => letters !== '');

/** Without the letters of `fi`, `fl` and `ffi`, which PDFs lose as they are one glyph. */
export const comparable = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]|[fil]/gu, '');

/** The share of pairs of neighbouring characters that two texts have in common, from 0 to 1. */
function likenessOf(a: string, b: string): number {
  const pairs = (text: string): readonly string[] =>
    Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2));
  const left = [...pairs(b)];
  let common = 0;
  for (const pair of pairs(a)) {
    const at = left.indexOf(pair);
    if (at === -1) continue;
    left.splice(at, 1);
    common += 1;
  }
  return a.length + b.length <= 2 ? 0 : (2 * common) / (a.length + b.length - 2);
}
