import type { PaperReference } from '../paper.js';
import type { FoundCitation } from './by-label.js';

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
export function citationsByName(
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
