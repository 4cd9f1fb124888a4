import { closed } from '../text.js';
import type { ListRow } from './reference-list.js';

/** What can be told of an entry. */
export interface ReadEntry {
  readonly text: string;
  readonly authors: string[];
  readonly year: number | null;
  readonly title: string | null;
}

/** `[3]`, `[Roe99]`, and with a year, also `[Doe, Roe, and the Waiting Group (2003)]`. */
export const bracketLabel =
  /^[[［]([^\]］\s](?:[^\]］]{0,28}|[^\]］]{0,90}\b(?:1[89]|20)\d\d[a-z]?\)?))[\]］]\s*/;
const anyLabel = new RegExp(
  String.raw`${bracketLabel.source}|^\(?\d{1,3}[.)]\s+|^\d{1,3}\s+(?=\p{Lu})|^[•◦▪∗*·]\s+`,
  'u',
);

/** The rows on one line, without label or bullet. A web address that is broken at a row's end is joined. */
export function joinRows(rows: readonly ListRow[]): string {
  let joined = '';
  for (const { text } of rows) {
    if (joined === '') joined = text;
    else if (brokenAddress(joined, text)) joined += text;
    else
      joined =
        /\p{L}-$/u.test(joined) && /^\p{Ll}/u.test(text) ? joined + text : `${joined} ${text}`;
  }
  return closed(joined).replace(anyLabel, '').replace(/\s+/g, ' ').trim();
}

/** An address goes on behind a slash and the like, or with one. */
function brokenAddress(before: string, next: string): boolean {
  const last = before.split(' ').at(-1) ?? '';
  if (!/https?:|www\.|ftp:|^doi:?|\b10\.\d{4,}\//i.test(last)) return false;
  const first = next.split(' ')[0] ?? '';
  if (/[/_=?&~%#-]$|^https?:$|^doi:$/i.test(last)) return true;
  if (/^[/?=&_~%#]/.test(first)) return true;
  return !/[.,;)\]>]$/.test(last)
    ? /[/.\d=_]/.test(first) && !/^(?:\(|1[89]\d\d|20\d\d)/.test(first)
    : /^\p{Ll}\S*[/.]\S/u.test(first) && last.endsWith('.');
}

const year = /\b((?:1[6-9]|20)\d\d)[a-z]?\b/;
const bracketedYear =
  /\(\s*(?:\p{L}+\.?\s+(?:\d{1,2},?\s+)?)?((?:1[6-9]|20)\d\d)[a-z]?\b[^)]{0,24}\)/u;

/** @param before - the authors of the entry above, which a dash repeats */
export function readEntry(text: string, before: readonly string[]): ReadEntry {
  const plain = text.replace(/(?:https?:|www\.|doi:)\S+/gi, ' ');
  const inBrackets = bracketedYear.exec(plain);
  const afterAuthors = inBrackets ?? earlyYear(plain);
  const [found, rest] =
    afterAuthors !== null && looksLikeNames(plain.slice(0, afterAuthors.index))
      ? [
          plain.slice(0, afterAuthors.index),
          plain.slice(afterAuthors.index + afterAuthors[0].length),
        ]
      : splitAtSentence(plain);
  const authors = /^(?:[—–-]{1,3}|_{2,})/.test(found.trim()) ? [...before] : namesOf(found);
  return {
    text,
    authors,
    year: yearOf(plain, afterAuthors),
    title: titleIn(rest),
  };
}

/** A year right behind the names: `Smith, J. 1999. Title`, `Smith J, 1999, Title`. */
function earlyYear(text: string): RegExpExecArray | null {
  const match = /[.,]\s+((?:1[6-9]|20)\d\d)[a-z]?\s*[.,:;]\s/.exec(text);
  return match !== null &&
    match.index < text.length * 0.6 &&
    looksLikeNames(text.slice(0, match.index))
    ? match
    : null;
}

function yearOf(text: string, marked: RegExpExecArray | null): number | null {
  if (marked !== null) return Number(marked[1]);
  // Page ranges hold numbers like years.
  const without = text.replace(/\b\d+\s*[-–]\s*\d+\b|:\s*\d+/g, ' ');
  const years = [...without.matchAll(new RegExp(year, 'g'))].map((match) => Number(match[1]));
  return years.at(-1) ?? null;
}

/** Few words in small letters stand among names. */
function looksLikeNames(text: string): boolean {
  const words = text.split(/[\s,.;]+/).filter((word) => /\p{L}/u.test(word));
  const small = words.filter((word) => /^\p{Ll}/u.test(word) && !connecting.has(word));
  return words.length === 0
    ? /[—–_-]/.test(text)
    : small.length <= words.length * 0.2 && !/[“"]|\p{Lo}[.．]\s*\p{Lo}|\[[A-Z]\]/u.test(text);
}

const connecting = new Set(
  'and und et al van von der den de di da del della la le du dos das ter ten eds ed editors editor others'.split(
    ' ',
  ),
);

/** At the end of the first sentence; the period of an initial or of `et al.` ends none. */
function splitAtSentence(text: string): readonly [string, string] {
  const quoted = /^(.{3,200}?),?\s*["“](?=\p{Lu})/u.exec(text);
  if (quoted?.[1] !== undefined && looksLikeNames(quoted[1])) {
    return [quoted[1], text.slice(quoted[1].length)];
  }
  for (const match of text.matchAll(
    /([\p{L}.’'-]+)(?:[.:]\s+(?=[\p{Lu}\p{Lo}\d"“‘])|[．:：](?=\p{Lo})|\.(?=\p{Script=Han}))/gu,
  )) {
    const word = match[1] ?? '';
    if (
      /^(?:\p{Lu}|\p{Lu}\p{Ll}|(?:\p{Lu}\.-?)+\p{Lu}|al|jr|sr|eds?|dr|st)$/iu.test(word) &&
      word.length <= 6
    ) {
      if (!/^(?:eds?|al|jr)$/i.test(word)) continue;
    }
    const end = match.index + word.length;
    const names = text.slice(0, end);
    return looksLikeNames(names) ? [names, text.slice(end + 1)] : ['', text];
  }
  return ['', text];
}

/** The names as printed, in order, e.g. `Smith JA` or `J. A. Smith`. */
function namesOf(text: string): string[] {
  const parts = text
    .replace(/\(?\b(?:eds?|editors?)\b\.?\)?/gi, ' ')
    .replace(/\bet\.? al\.?|\bothers\b/gi, ' ')
    .split(/\s*[,;，；、]\s*(?:(?:and|&)\s+)?|\s+(?:and|&|und)\s+/)
    .map((part) => part.replace(/\s+/g, ' ').replace(/^[\s.]+|[\s:(]+$/g, ''))
    .filter((part) => /\p{L}/u.test(part));
  const names: string[] = [];
  let open = false;
  for (const part of parts) {
    const initials =
      /^(?:\p{Lu}\p{Ll}?\.?[\s-]?){1,4}$/u.test(part) && (part.includes('.') || part.length <= 3);
    const onlyGiven = names.length === 1 && open && !/\s\S*\p{Ll}{2}/u.test(part);
    if (names.length > 0 && open && (initials || onlyGiven || /^(?:jr|sr|iii?)\.?$/i.test(part))) {
      names[names.length - 1] = `${names.at(-1) ?? ''}, ${part}`;
      open = /^(?:\p{Lu}\p{Ll}+)$/u.test(part) ? false : /^(?:jr|sr)/i.test(part);
    } else {
      names.push(part);
      open = !/\s\p{Lu}{1,3}$|^\p{Lu}\.|^\p{Lo}/u.test(part);
    }
  }
  return names.every((name) => name.length <= 80) ? names : [];
}

/** Up to the end of the first sentence or quotation. */
function titleIn(rest: string): string | null {
  const text = rest.replace(/^[\s.,:;)\]]+/, '');
  const quoted = /^["“‘']+(.+?)[.,?!]*["”]/u.exec(text)?.[1];
  if (quoted !== undefined) return quoted.trim();
  const end = /[.．?!](?=\s*\p{Lo}|\s+(?:\p{Lu}|\d|\(|["“]|in\b)|\s*$)/u.exec(text);
  const title = (end === null ? text : text.slice(0, end.index + (end[0] === '?' ? 1 : 0))).trim();
  // GB/T 7714 says what kind of work it is: `[J]`.
  return /\p{L}{2}/u.test(title) ? title.replace(/\s*\[[A-Z/]{1,5}\]$/, '') : null;
}
