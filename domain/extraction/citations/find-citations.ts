import { isMonospaced } from '../lines.js';
import type { PdfContent, TextLine, TextRun } from '../page-content.js';
import type { Citation, PaperReference } from '../paper.js';

/**
 * The places in the text that name an entry of the list of references: `[12]`, `[3-5]`, `[Smi99]`, `Smith (1999)`,
 * `(Smith and Jones 1999a,b; Doe et al., 2003)`, a raised 12, `(12)`. A place that names several entries gives one citation each.
 * @param apart - the lines of the list, and others that cite nothing, such as names with raised marks
 * @param equationNumbers - a number in round brackets may stand for one of them
 */
export function findCitations(
  { pages }: PdfContent,
  references: readonly PaperReference[],
  apart: Iterable<TextLine>,
  equationNumbers: ReadonlySet<string | null> = new Set(),
): readonly Citation[] {
  if (references.length === 0) return [];
  const left = new Set(apart);
  const texts = pages.map(({ lines }) =>
    lines.filter((line) => line.upright && !left.has(line) && !isCode(line)),
  );
  const citationsBy = (read: ReadCitations): readonly Citation[] =>
    texts.flatMap((lines, index) =>
      read(lines).map((citation) => ({ page: index + 1, ...citation })),
    );
  const labelled = references.filter(({ label }) => label !== null).length > references.length / 2;
  const byName = citationsBy(onJoined(citationsByName(references)));
  if (!labelled) return byName;
  const byLabel = new Map(references.map(({ label }, index) => [label ?? '', index]));
  const inBrackets = citationsBy(onJoined(citationsInBrackets(byLabel)));
  const others = [
    byName,
    citationsBy((lines) => lines.flatMap((line) => raisedCitations(line, byLabel))),
    citationsBy(onJoined(citationsInRoundBrackets(byLabel, equationNumbers))),
  ].filter((citations) => citedBy(citations) >= references.length * fewestCited);
  return others.reduce(
    (most, citations) => (citedBy(citations) > citedBy(most) ? citations : most),
    inBrackets,
  );
}

/** The share of a labelled list that names, raised numbers or those in round brackets must name. Fewer are exponents and items. */
const fewestCited = 1 / 3;

const citedBy = (citations: readonly Citation[]): number =>
  new Set(citations.map(({ reference }) => reference)).size;

/** Of the lines of a page. */
type ReadCitations = (lines: readonly TextLine[]) => readonly FoundCitation[];

const onJoined =
  (read: (text: string) => readonly FoundCitation[]): ReadCitations =>
  (lines) =>
    read(lines.map(({ text }) => text).join(' '));

/** Program code, whose output has brackets, too. */
const isCode = ({ runs, text }: TextLine): boolean =>
  runs.every(({ font }) => isMonospaced(font)) || /^\[1\]\s+["\d-]|^(?:R?>|\+)\s/.test(text);

const particle = '(?:(?:van|von|der|den|de|del|della|di|da|du|la|le|ten|ter)\\s+)*';
const name = `${particle}\\p{Lu}[\\p{L}\\p{M}'’.-]*(?:\\s+\\p{Lu}[\\p{L}\\p{M}'’-]*){0,4}`;
const between = '(?:\\s*,\\s*(?:(?:and|&)\\s+)?|\\s+(?:and|&)\\s+)';
/** Names in front of a year. */
const namesBefore = new RegExp(
  `(${name}(?:${between}${name})*)(,?\\s+(?:et\\.?\\s+al\\.?|and others))?(?:['’]s)?\\s*,?\\s*[(\\[]?\\s*$`,
  'u',
);
/** A year with letters that tell papers of one year apart: `1999`, `2003a`, `2003a,b`. */
const years =
  /(?<![\p{L}\p{N}./-])((?:1[6-9]|20)\d\d)([a-k](?:\s*,\s*[a-k](?![\p{L}\p{N}]))*)?(?![\p{L}\p{N}])/gu;

/** How far in front of a year its names begin, in characters. */
const longestNames = 160;

interface Named {
  readonly names: readonly string[];
  readonly etAl: boolean;
  readonly start: number;
}

/** `Smith (1999)`, `(Smith and Jones 1999a,b; Doe et al., 2003)`. */
function citationsByName(
  references: readonly PaperReference[],
): (text: string) => readonly FoundCitation[] {
  const entries = references.map(keyOf);
  return (text) => {
    const citations: FoundCitation[] = [];
    let last: Named | undefined;
    let end = 0;
    for (const match of text.matchAll(years)) {
      const [printed, year = '', letters = ''] = match;
      const goesOn =
        last !== undefined && /^\s*,?\s*(?:and\s+)?$/.test(text.slice(end, match.index));
      const named = goesOn
        ? last
        : namesIn(text, Math.max(end, match.index - longestNames), match.index);
      last = named;
      end = match.index + printed.length;
      if (named === undefined) continue;
      const closing =
        text[end] === ')' && text.slice(named.start, match.index).includes('(') ? ')' : '';
      for (const letter of letters === '' ? [''] : letters.split(/\s*,\s*/)) {
        const reference = bestEntry(entries, named, Number(year), letter);
        if (reference === undefined) continue;
        citations.push({ text: text.slice(named.start, end) + closing, reference });
      }
    }
    return citations;
  };
}

function namesIn(text: string, from: number, to: number): Named | undefined {
  const found = namesBefore.exec(text.slice(from, to));
  const [, list = '', etAl] = found ?? [];
  if (found === null) return undefined;
  return {
    names: list.split(new RegExp(between, 'u')).filter((part) => part !== ''),
    etAl: etAl !== undefined,
    start: from + found.index,
  };
}

interface EntryKey {
  /** Words of each author's name that are no initials, squashed. */
  readonly authors: readonly ReadonlySet<string>[];
  readonly year: number | null;
  /** `a` of `1999a`. */
  readonly letter: string;
}

const keyOf = ({ authors, year, text }: PaperReference): EntryKey => ({
  authors: authors.map((author) => new Set(wordsOf(author))),
  year,
  letter: new RegExp(`\\b${year ?? '-'}([a-z])\\b`).exec(text)?.[1] ?? '',
});

const wordsOf = (author: string): readonly string[] =>
  author
    .normalize('NFKD')
    .replace(/[\p{M}'’´`¨.]/gu, '')
    .split(/[^\p{L}-]+/u)
    .filter((word) => /\p{Lu}\p{L}*\p{Ll}\p{L}*/u.test(word) || /\p{Lu}{4}/u.test(word))
    .map((word) => word.toLowerCase());

/** The entry of that year whose authors fit best; the first author must. */
function bestEntry(
  entries: readonly EntryKey[],
  { names, etAl }: Named,
  year: number,
  letter: string,
): number | undefined {
  const [first = '', ...others] = names;
  const candidates = entries.flatMap((entry, index) => {
    const [firstAuthor, ...coauthors] = entry.authors;
    if (entry.year !== year || !shares(firstAuthor, first)) return [];
    if (letter !== '' && entry.letter !== '' && entry.letter !== letter) return [];
    const fitting = others.filter((other) => coauthors.some((author) => shares(author, other)));
    if (fitting.length < others.length) return [];
    const count = etAl ? coauthors.length > 0 : coauthors.length === others.length;
    return [{ index, fit: (count ? 2 : 0) + (entry.letter === letter ? 1 : 0) }];
  });
  return candidates.sort((a, b) => b.fit - a.fit)[0]?.index;
}

const shares = (author: ReadonlySet<string> | undefined, printed: string): boolean =>
  wordsOf(printed).some((word) => author?.has(word));

type FoundCitation = Omit<Citation, 'page'>;
/** The index of the entry with a label. */
type Labels = ReadonlyMap<string, number>;

/** Neither an index behind a name nor a second bracket. */
const bracket = /(?<![\p{L}\p{N})\]_$])\[([^[\]]{1,80})\]/gu;

/** `[12]`, `[3-5]`, `[Smi99, p. 4]`. */
const citationsInBrackets =
  (byLabel: Labels) =>
  (text: string): readonly FoundCitation[] =>
    [...text.matchAll(bracket)].flatMap(([printed, inside = '']) => {
      const labels = labelsIn(inside);
      const found = labels.map((label) => byLabel.get(label));
      // What is no label is a remark, such as `p. 12`; it stands behind the labels.
      return found[0] === undefined
        ? []
        : found.flatMap((reference) =>
            reference === undefined ? [] : [{ text: printed, reference }],
          );
    });

const numbers = /\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*/;
const roundBracket = new RegExp(
  `(?<![\\p{L}\\p{N})\\]_$])(?<!\\b(?:eqs?|equations?|models?|items?|steps?|cases?|lines?)\\.? )\\((${numbers.source})\\)`,
  'giu',
);

/** `(12)`, `(3, 5)`. */
const citationsInRoundBrackets =
  (byLabel: Labels, equationNumbers: ReadonlySet<string | null>) =>
  (text: string): readonly FoundCitation[] =>
    [...text.matchAll(roundBracket)].flatMap(([printed, inside = '']) => {
      const labels = labelsIn(inside);
      return labels.some((label) => equationNumbers.has(label))
        ? []
        : namedBy(labels, byLabel).map((reference) => ({ text: printed, reference }));
    });

/** All entries with these labels; none if one of them has no entry. */
function namedBy(labels: readonly string[], byLabel: Labels): readonly number[] {
  const named = labels.flatMap((label) => byLabel.get(label) ?? []);
  return named.length < labels.length ? [] : named;
}

/** Numbers that stand raised behind a word or its punctuation. Behind one letter or a unit they are exponents. */
function raisedCitations({ runs }: TextLine, byLabel: Labels): readonly FoundCitation[] {
  const found: FoundCitation[] = [];
  for (let index = 1; index < runs.length; index += 1) {
    const word = runs[index - 1];
    if (word === undefined) continue;
    const rest = runs.slice(index);
    const end = rest.findIndex((run) => !isRaised(run, word));
    const mark = (end === -1 ? rest : rest.slice(0, end)).map(({ text }) => text).join('');
    if (mark === '') continue;
    index += (end === -1 ? rest.length : end) - 1;
    if (!new RegExp(`^${numbers.source}$`).test(mark) || !mayBeCited(word.text)) continue;
    for (const reference of namedBy(labelsIn(mark), byLabel)) found.push({ text: mark, reference });
  }
  return found;
}

const isRaised = (run: TextRun, word: TextRun): boolean =>
  run.fontSize < word.fontSize * 0.9 && word.baseline - run.baseline > word.fontSize * 0.15;

const mayBeCited = (word: string): boolean =>
  /\p{L}{2}[.,;:!?)\]”’"']*$|[\p{L}\p{N})][.,;:!?)\]”’"']+$/u.test(word) &&
  !/^(?:[cdm]|k|n)?m$/.test(word);

/** The longest range, as in `[3-12]`. An interval of numbers may be longer. */
const longestRange = 30;

function labelsIn(inside: string): readonly string[] {
  return inside.split(/\s*[,;]\s*/).flatMap((part) => {
    const label = part.trim();
    const [, from, to] = /^(\d{1,4})\s*[-–—]\s*(\d{1,4})$/.exec(label) ?? [];
    if (from === undefined || to === undefined) return [label];
    const length = Number(to) - Number(from) + 1;
    return length < 2 || length > longestRange
      ? []
      : Array.from({ length }, (_, step) => String(Number(from) + step));
  });
}
