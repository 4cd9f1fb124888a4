import { unionOf, type PdfContent, type TextLine } from './page-content.js';
import type { PaperReference } from './paper.js';
import {
  bracketLabel,
  joinRows,
  readEntry,
  findReferenceLists,
  type ListRow,
} from './references/reference-list.js';

interface FoundReferences {
  readonly references: readonly PaperReference[];
  /** The lines of the entries, without the heading above them. */
  readonly lines: readonly TextLine[];
}

/**
 * The entries of the paper's list of references, or of several lists one after the other.
 * @param dropped - running heads, page numbers and other lines that are no text
 */
export function findReferences(
  content: PdfContent,
  dropped: ReadonlySet<TextLine> = new Set(),
): FoundReferences {
  const entries = findReferenceLists(content, dropped)
    .map(({ rows }) => splitEntries(rows))
    .filter(readsAsReferences)
    .flat();
  const references: PaperReference[] = [];
  for (const entry of entries) references.push(referenceOf(entry, references.at(-1)));
  return {
    references,
    lines: entries.flatMap(({ rows }) => rows.flatMap((row) => row.lines)),
  };
}

/** A section of that name may hold text instead, e.g. in a manual, and a table may have such a column. */
const readsAsReferences = (entries: readonly Entry[]): boolean => qualityOf(entries) >= 0.5;

function referenceOf({ rows, label }: Entry, before: PaperReference | undefined): PaperReference {
  const text = joinRows(rows);
  const page = rows[0]?.page ?? 1;
  const onPage = rows.filter((row) => row.page === page).flatMap((row) => row.lines);
  return {
    ...readEntry(text, before?.authors ?? []),
    label,
    page,
    box: unionOf(onPage.map(({ box }) => box)),
  };
}

interface Entry {
  readonly rows: readonly ListRow[];
  /** Without brackets; null where entries have none. */
  readonly label: string | null;
}

const numberLabel = /^\(?(\d{1,3})[.)]\s+(?=\S)/;
const bareNumberLabel = /^(\d{1,3})\s+(?=\p{L})/u;
const bullet = /^[•◦▪–∗*·]\s+/;

/** The label at the start of an entry, as `pattern` finds it. */
const labelOf = (row: ListRow, pattern: RegExp): string | undefined => pattern.exec(row.text)?.[1];

/**
 * Splits a list into its entries: at labels, at bullets, at lines that hang out of the others or stand in further, at wider gaps, or
 * at lines that begin like an entry, whichever the list has.
 */
function splitEntries(rows: readonly ListRow[]): readonly Entry[] {
  const [first] = rows;
  if (first === undefined) return [];
  if (bracketLabel.test(first.text)) return splitAtLabels(rows, bracketLabel);
  if (numberLabel.test(first.text)) return splitAtNumbers(rows, numberLabel);
  if (labelOf(first, bareNumberLabel) === '1') return splitAtNumbers(rows, bareNumberLabel);
  if (bullet.test(first.text)) return splitWhere(rows, ({ text }) => bullet.test(text));
  const usual = usualGap(rows);
  const reads = (row: ListRow, index: number): boolean =>
    beginsEntry(row.text) && ended(rows[index - 1]?.text ?? '.');
  const hasGaps = rows.some(({ gap }) => gap > widerGap * usual);
  const hasIndents = rows.some(({ indent }) => indent >= leastIndent);
  const ways = [
    hasIndents ? splitWhere(rows, ({ indent }) => indent < leastIndent) : [],
    hasIndents ? splitWhere(rows, ({ indent }) => indent >= leastIndent) : [],
    hasGaps
      ? splitWhere(rows, (row, index) =>
          row.gap > 0 ? row.gap > widerGap * usual : reads(row, index),
        )
      : [],
    splitWhere(rows, reads),
  ].map((entries) => ({ entries, quality: qualityOf(entries) }));
  const best = Math.max(...ways.map(({ quality }) => quality));
  const clear = ways.find(({ quality }) => quality >= Math.min(best, clearQuality));
  return clear?.entries ?? [];
}

/** Of two ways to split that are as good as this, the one that goes by the print is taken rather than that by the wording. */
const clearQuality = 0.8;

/** Points that an entry's other lines stand in. Letters reach out of their line by less. */
const leastIndent = 3.5;
const widerGap = 1.2;

/** The gap between most rows: that within entries, if they have several rows. */
function usualGap(rows: readonly ListRow[]): number {
  const gaps = rows.map(({ gap }) => gap).filter((gap) => gap > 0);
  return [...gaps].sort((a, b) => a - b)[Math.floor(gaps.length * 0.25)] ?? 0;
}

function splitWhere(
  rows: readonly ListRow[],
  isStart: (row: ListRow, index: number) => boolean,
): readonly Entry[] {
  const entries: ListRow[][] = [];
  for (const [index, row] of rows.entries()) {
    if (index === 0 || isStart(row, index)) entries.push([row]);
    else entries.at(-1)?.push(row);
  }
  return entries.map((entry) => ({ rows: entry, label: null }));
}

/** Only labels at the left edge begin entries; a bracket within an entry may begin a line, too. */
function splitAtLabels(rows: readonly ListRow[], pattern: RegExp): readonly Entry[] {
  const numeric = /^\d+$/.test(labelOf(rows[0] as ListRow, pattern) ?? ''); // the caller saw the first row
  if (numeric) return splitAtNumbers(rows, pattern);
  return splitWhere(rows, (row) => labelOf(row, pattern) !== undefined).map(({ rows: entry }) =>
    labelled(entry, pattern),
  );
}

/** A number that does not follow the one before it is part of an entry, e.g. of its pages. */
function splitAtNumbers(rows: readonly ListRow[], pattern: RegExp): readonly Entry[] {
  let last = Number(labelOf(rows[0] as ListRow, pattern)) - 1; // the caller saw the first row
  const entries = splitWhere(rows, (row, index) => {
    const number = Number(labelOf(row, pattern) ?? NaN);
    const follows = number > last && number <= last + mostMissing;
    if (follows || index === 0) last = number;
    return follows;
  });
  return entries.map(({ rows: entry }) => labelled(entry, pattern));
}

/** How many labels may be missing, e.g. because their glyphs are lost. */
const mostMissing = 3;

function labelled(rows: readonly ListRow[], pattern: RegExp): Entry {
  const [first] = rows;
  return { rows, label: (first && labelOf(first, pattern)) ?? null };
}

const yearPattern = /\b(?:1[89]|20)\d\d[a-z]?\b|\b(?:in press|forthcoming|to appear|n\.\s?d\.)/i;

/** Whether a line begins as entries do, with a name or a title. */
const beginsEntry = (text: string): boolean =>
  /^(?:\p{Lu}|\p{Lo}|["“‘'«]|\p{Ll}{1,3} \p{Lu}|(?:van|von|de|del|den|la|le)\b|[—–-]{2,}|_{3,}|\p{Ll}+[’'`]\p{Lu})/u.test(
    text,
  ) && /[.,:(．，：（]|\s(?:and|&)\s/.test(text);

const ended = (text: string): boolean =>
  /[.．。\])>”"/]$|\d$|(?:https?:|www\.|doi)\S*$/i.test(text);

/**
 * How well a way to split fits, from 0 to 1: the share of entries that begin and end as entries do and hold a year, less for
 * entries of unusual length.
 */
function qualityOf(entries: readonly Entry[]): number {
  const good = entries.map(({ rows }) => {
    const text = rows.map((row) => row.text).join(' ');
    const starts = beginsEntry(text) ? 1 : 0;
    const ends = ended(text) ? 1 : 0;
    const dated = yearPattern.test(text) ? 1 : 0;
    const short =
      text.length > longestEntry
        ? -2
        : text.length < (/\p{Lo}{4}/u.test(text) ? shortestEntry / 2 : shortestEntry)
          ? -1
          : 0;
    return Math.max(0, (starts + ends + dated + short) / 3);
  });
  return good.reduce((sum, value) => sum + value, 0) / Math.max(1, good.length);
}

/** Characters. */
const longestEntry = 600;
const shortestEntry = 30;
