import { groupBy } from '../../statistics/means.js';
import { heaviest } from '../lines.js';
import { emphases, type Candidate } from './candidates.js';
import {
  isWellKnown,
  readNumbers,
  type NumberedTitle,
  type SectionNumber,
} from './section-number.js';

/** A heading by its print alone. */
export interface PrintedHeading extends NumberedTitle {
  readonly candidate: Candidate;
  /** From 1. */
  readonly level: number;
}

type Numbered = NumberedTitle & { readonly number: SectionNumber; readonly candidate: Candidate };

/** @param knownStyles - those of headings that the outline names, with their levels */
export function findPrintedHeadings(
  candidates: readonly Candidate[],
  knownStyles: ReadonlyMap<string, number>,
): readonly PrintedHeading[] {
  const numbered = numberedHeadings(candidates, knownStyles);
  const taken = new Set(numbered.map(({ candidate }) => candidate));
  const free = candidates.filter((candidate) => !taken.has(candidate));
  const plain = unnumberedHeadings(free, numbered, knownStyles);
  return [...numbered, ...plain].sort((a, b) => order(a.candidate, b.candidate));
}

export const order = (
  a: { page: number; line: number },
  b: { page: number; line: number },
): number => a.page - b.page || a.line - b.line;

function numberedHeadings(
  candidates: readonly Candidate[],
  knownStyles: ReadonlyMap<string, number>,
): readonly PrintedHeading[] {
  const readings = candidates.flatMap((candidate) =>
    readNumbers(candidate.text).map((reading): Numbered => ({ ...reading, candidate })),
  );
  const ofKind = (kind: SectionNumber['kind']) =>
    readings.filter(({ number }) => number.kind === kind);
  const decimals = consistent(ofKind('decimal'), 5, knownStyles);
  const romans = consistent(ofKind('roman'), 5, knownStyles);
  const useRomans = romans.length >= 2 && weightOf(romans) > weightOf(decimals);
  const main = useRomans ? romans : decimals;
  const lines = new Set(main.map(({ candidate }) => candidate));
  const letters = consistent(
    ofKind('letter').filter(({ candidate }) => !lines.has(candidate)),
    useRomans ? 0 : 5,
    knownStyles,
  );
  const mainStyles = new Set([
    ...main.map(({ candidate }) => candidate.style),
    ...knownStyles.keys(),
  ]);
  // Letters also begin sentences and list items: unless they are below Roman numbers, one of them must look like a heading.
  const isSure = ({ number, candidate }: Numbered): boolean =>
    useRomans || number.named || mainStyles.has(candidate.style);
  const appendices = letters.some(isSure)
    ? letters.filter((letter) => isSure(letter) || letter.number.path.length > 1)
    : [];
  const shift = useRomans ? 1 : 0;
  return [
    ...main.map((heading) => ({ ...heading, level: heading.number.path.length })),
    ...appendices.map((heading) => ({ ...heading, level: heading.number.path.length + shift })),
  ];
}

const weightOf = (headings: readonly Numbered[]): number =>
  headings.reduce((sum, heading) => sum + weight(heading), 0);

/** A chain whose headings of one depth are printed alike. */
function consistent(
  readings: readonly Numbered[],
  restartCost: number,
  known: ReadonlyMap<string, number>,
): readonly Numbered[] {
  const likely = readings.filter(
    (reading) => weight(reading) > 0 || known.has(reading.candidate.style),
  );
  const pick = (weigh: (reading: Numbered) => number): readonly Numbered[] =>
    heaviestChain(
      likely.map((reading) => ({ path: reading.number.path, weight: weigh(reading) })),
      restartCost,
    ).flatMap((index) => likely[index] ?? []);
  const first = pick(weight);
  const styles = new Map(
    [1, 2, 3, 4, 5].map((depth) => [
      depth,
      heaviest(
        first
          .filter(({ number }) => number.path.length === depth)
          .map((reading) => [reading.candidate.style, weight(reading)] as const),
      ),
    ]),
  );
  return pick((reading) => {
    const style = styles.get(reading.number.path.length);
    const fits = style === reading.candidate.style || known.has(reading.candidate.style);
    return weight(reading) + (style === undefined || fits ? 1 : -3);
  });
}

const emphasisWeights = [-0.5, 0.5, 1.5, 3, 4];

/** How much the print of a numbered line speaks for a heading. */
function weight({ number, title, candidate }: Numbered): number {
  const { emphasis, gapAbove, gapBelow, hasNeighbour, text, rest } = candidate;
  if (emphasis < emphases.italic && (gapAbove < 1.25 || gapBelow < 0.9)) return 0;
  return (
    (emphasisWeights[emphasis] ?? 0) +
    (gapAbove >= 1.25 ? 1 : -0.5) +
    (number.path.length > 1 ? 1 : 0) +
    (number.named || isWellKnown(title) ? 2 : 0) -
    (hasNeighbour ? 2 : 0) -
    (rest === '' ? 0 : 0.5) -
    (/^\p{Ll}/u.test(title) && number.path.length === 1 ? 1 : 0) -
    (/[.,;:]$/.test(text) && emphasis < emphases.bold ? 2 : 0) -
    (text.length > 100 ? 1 : 0)
  );
}

function unnumberedHeadings(
  candidates: readonly Candidate[],
  numbered: readonly PrintedHeading[],
  knownStyles: ReadonlyMap<string, number>,
): readonly PrintedHeading[] {
  const levels = new Map(knownStyles);
  for (const { candidate, level } of numbered) {
    levels.set(candidate.style, Math.min(level, levels.get(candidate.style) ?? Infinity));
  }
  const wellKnown = candidates.filter(
    ({ text, emphasis, rest, gapAbove, gapBelow }) =>
      isWellKnown(text) &&
      rest === '' &&
      (emphasis >= emphases.italic || (gapAbove >= 1.4 && gapBelow >= 1.15)),
  );
  const [start] = [numbered[0]?.candidate, ...wellKnown].flatMap((c) => c ?? []).sort(order);
  const isBelowTitle = (candidate: Candidate): boolean =>
    candidate.page > 0 ||
    (start?.page === 0
      ? order(start, candidate) <= 0
      : candidate.emphasis < emphases.large || candidate.line > 3);
  const below = candidates.filter(isBelowTitle);
  const found = new Set<Candidate>(wellKnown);
  for (const [style, group] of groupBy(below, (candidate) => candidate.style)) {
    for (const test of [isOwnLine, isRunIn]) {
      const fitting = group.filter(test);
      const sure =
        levels.has(style) || fitting.length > 1 || fitting[0]?.emphasis === emphases.large;
      const distinct = new Set(fitting.map(({ text }) => text)).size;
      if (
        !sure ||
        fitting.length < group.length * mostly ||
        (test === isRunIn && distinct < fitting.length * mostly)
      )
        continue;
      for (const candidate of fitting) found.add(candidate);
    }
  }
  return withLevels([...found].sort(order), levels, numbered);
}

/** The share of the lines of a style that must look like headings, lest it be that of emphasised text. */
const mostly = 0.5;

/** Whether a paragraph or a page's part may begin with it, by its place and wording. */
const beginsApart = ({ hasNeighbour, gapAbove, text, isAligned }: Candidate): boolean =>
  !hasNeighbour && gapAbove >= 1.15 && isTitle(text) && isAligned;

const isOwnLine = (candidate: Candidate): boolean =>
  candidate.emphasis >= emphases.bold &&
  candidate.rest === '' &&
  candidate.leadsToText &&
  beginsApart(candidate);

const isRunIn = (candidate: Candidate): boolean =>
  candidate.emphasis === emphases.bold &&
  candidate.rest !== '' &&
  !isStatement.test(candidate.text) &&
  /^[\p{Lu}\p{N}]/u.test(candidate.text) &&
  candidate.text.length < 100 &&
  !candidate.hasHanging &&
  beginsApart(candidate);

/** Levels of known styles; else one below those of the styles that are as large. */
function withLevels(
  headings: readonly Candidate[],
  known: ReadonlyMap<string, number>,
  numbered: readonly PrintedHeading[],
): readonly PrintedHeading[] {
  const levels = new Map(known);
  const sizes = new Map(numbered.map(({ candidate }) => [candidate.style, candidate.fontSize]));
  const unknown = headings.filter(({ style, text }) => !levels.has(style) && !isWellKnown(text));
  const bySize = [
    ...new Map(unknown.map((candidate) => [candidate.style, candidate])).values(),
  ].sort(
    (a, b) =>
      Number(a.rest !== '') - Number(b.rest !== '') ||
      b.fontSize - a.fontSize ||
      b.emphasis - a.emphasis,
  );
  for (const { style, fontSize, rest } of bySize) {
    const larger = [...levels].filter(
      ([other]) => rest !== '' || (sizes.get(other) ?? Infinity) >= fontSize - 0.3,
    );
    levels.set(style, Math.max(0, ...larger.map(([, level]) => level)) + 1);
    sizes.set(style, fontSize);
  }
  return headings.map((candidate) => ({
    candidate,
    number: null,
    title: candidate.text,
    level: levels.get(candidate.style) ?? 1,
  }));
}

const isTitle = (text: string): boolean =>
  /\p{L}{3}/u.test(text) &&
  !/[,;]$|https?:/.test(text) &&
  !isLabel.test(text) &&
  text.length <= 150;

/** What captions begin with. */
const isLabel = /^(fig(ure|\.)|tab(le|\.)|algorithm|listing)\s*\d/i;
/** What begins a statement in the text. */
const isStatement =
  /^(theorem|lemma|definition|proposition|corollary|remark|proof|example|exercise|claim|assumption)\b/i;

/** A line that may be a numbered heading. */
interface ChainItem {
  readonly path: readonly number[];
  /** How much its print speaks for a heading. Not above 0: never taken alone. */
  readonly weight: number;
}

/** A predecessor is looked for among so many items, to stay fast in documents with thousands of numbered lines. */
const lookBack = 300;

/** The reason for it: numbers that a reader would miss cost more than a heading in a weak print gives. */
const skipCost = 2;

/**
 * The heaviest sequence of items whose numbers follow each other as those of sections do: 1, 2, 2.1, 2.2, 3. A number may be
 * missing at a cost.
 * @param items - in reading order
 * @param restartCost - of beginning again at 1
 * @returns indexes of the items, ascending
 */
function heaviestChain(items: readonly ChainItem[], restartCost: number): readonly number[] {
  const best: { weight: number; before: number }[] = [];
  for (const [index, { path, weight }] of items.entries()) {
    const start = startCost(path);
    let chosen = { weight: start === null ? -Infinity : weight - start, before: -1 };
    for (let before = Math.max(0, index - lookBack); before < index; before += 1) {
      const cost = costBetween(items[before]?.path ?? [], path, restartCost);
      const total = (best[before]?.weight ?? -Infinity) + weight - (cost ?? Infinity);
      if (total > chosen.weight) chosen = { weight: total, before };
    }
    best.push(chosen);
  }
  let at = best.reduce(
    (top, { weight }, index) => (weight > (best[top]?.weight ?? 0) ? index : top),
    -1,
  );
  const chain: number[] = [];
  while (at !== -1) {
    chain.push(at);
    at = best[at]?.before ?? -1;
  }
  return chain.reverse();
}

/** Null for numbers that no document begins with. */
function startCost(path: readonly number[]): number | null {
  const [first = 0] = path;
  if (first > 3) return null;
  return Math.max(0, first - 1) * skipCost + (path.length - 1) * skipCost;
}

/** Null if a heading with the second number cannot come after one with the first. */
function costBetween(
  before: readonly number[],
  after: readonly number[],
  restartCost: number,
): number | null {
  const same = after.findIndex((part, index) => part !== before[index]);
  if (same === -1) return null;
  const parents = after.length - same - 1;
  const deeper = after.slice(same + 1);
  const steps = (after[same] ?? 0) - (before[same] ?? 0);
  if (steps < 1 || steps > 3) {
    const [first, ...rest] = after;
    return first === 1 && rest.length === 0 ? restartCost : null;
  }
  if (deeper.some((part) => part > 2)) return null;
  return (steps - 1 + parents + deeper.filter((part) => part > 1).length) * skipCost;
}
