import { isOfMath } from './equations/find-equations.js';
import { lineOf, printed } from './lines.js';
import { rightOf, type PdfContent, type TextLine, type TextRun } from './page-content.js';

/**
 * With raised and lowered marks as text has them: `10^5`, `x_i`, `s^-1`, and a space in front of the marks of notes, which
 * `raisedAs` tells from exponents.
 */
export function withScripts(content: PdfContent): PdfContent {
  const pages = content.pages.map((page) => ({ ...page, lines: page.lines.map(withMarksApart) }));
  const noted = pages.map(({ lines }) => notedOn(lines));
  const hasNotes = noted.some(({ size }) => size > 0);
  const linesOf = (lines: readonly TextLine[], page: number): readonly TextLine[] =>
    lines.map((line) => withScriptsIn(line, noted[page] ?? new Set(), hasNotes));
  return {
    ...content,
    pages: pages.map((page, at) => ({ ...page, lines: linesOf(page.lines, at) })),
  };
}

/** Characters that are raised or lowered by themselves. */
const scripts = /[\u00B2\u00B3\u00B9\u2070-\u207F]+|[\u2080-\u209C]+/u;
const pieces = new RegExp(`${scripts.source}|(?:(?!${scripts.source}).)+`, 'gsu');
/** In ems: how large they are, and how far above or below their line. */
const [scriptSize, raise, drop] = [0.7, 0.35, -0.15];

/** With runs of their own for such characters, as if they were small. */
function withMarksApart(line: TextLine): TextLine {
  if (!scripts.test(line.text)) return line;
  const runs = line.runs.flatMap((run) => {
    const [x, y, width, height] = run.box;
    const share = width / run.text.length;
    return [...run.text.matchAll(pieces)].map(({ 0: piece, index }): TextRun => {
      const part: TextRun = {
        ...run,
        text: piece,
        box: [x + share * index, y, share * piece.length, height],
        spaced: run.spaced && index === 0,
      };
      if (!scripts.test(piece)) return part;
      const shift = /[\u2080-\u209C]/.test(piece) ? drop : raise;
      const place = {
        fontSize: run.fontSize * scriptSize,
        baseline: run.baseline - run.fontSize * shift,
      };
      return { ...part, ...place, text: piece.normalize('NFKC'), inText: piece };
    });
  });
  return lineOf({ ...line, runs });
}

const notedOn = (lines: readonly TextLine[]): ReadonlySet<string> =>
  new Set(
    lines.flatMap(({ runs: [mark, text] }) =>
      mark !== undefined && text !== undefined && leadsNote(mark, text) ? [mark.text] : [],
    ),
  );

/** Whether a raised number stands in front of a word, as before notes and addresses. That of an isotope stands before one letter. */
const leadsNote = (mark: TextRun, text: TextRun): boolean =>
  /^\d{1,3}$/.test(mark.text) && /^\p{L}{3}/u.test(text.text) && scriptOf(mark, text) === '^';

/** In ems: how small scripts are, and how far above or below the baseline. */
const [largest, leastRaise, leastDrop] = [0.9, 0.15, 0.08];

type Script = '^' | '_';

function scriptOf(run: TextRun, base: TextRun): Script | null {
  const above = (base.baseline - run.baseline) / base.fontSize;
  if (run.fontSize > base.fontSize * largest || !/[\p{L}\p{N}+*∗−–-]/u.test(run.text)) return null;
  if (above > leastRaise && above < 1) return '^';
  return above < -leastDrop && above > -0.6 ? '_' : null;
}

function withScriptsIn(line: TextLine, noted: ReadonlySet<string>, hasNotes: boolean): TextLine {
  const [mark, text] = line.runs;
  if (!line.upright || mark === undefined || text === undefined) return line;
  const runs: TextRun[] = [];
  let base: TextRun | undefined;
  for (let at = 0; at < line.runs.length;) {
    const group = base === undefined ? [] : scriptAt(line.runs, at, base);
    const [first = line.runs[at] as TextRun] = group; // within the list
    if (base === undefined || group.length === 0) {
      base = first;
      const isNoted = at === 1 && leadsNote(mark, first) && !first.spaced;
      runs.push(isNoted ? { ...first, spaced: true } : first);
    } else {
      const after = line.runs.slice(at + group.length, at + group.length + 2);
      runs.push(...shown(group, base, printed(runs), printed(after), noted, hasNotes));
    }
    at += Math.max(1, group.length);
  }
  return runs.every((run, at) => run === line.runs[at])
    ? line
    : lineOf({ upright: line.upright, runs });
}

/** Characters. Longer small print is no script. */
const longest = 12;
/** Ems between a mark and what it stands at, without and with a space in the text layer, and with one within it. */
const [widestGap, widestSpace, widestInner] = [0.35, 0.2, 0.15];
/** Of two sizes. A larger one is that of an initial. */
const largestBase = 2;

/** The runs from a place on that are one raised or lowered mark at a base; none if there is no such mark. */
function scriptAt(runs: readonly TextRun[], start: number, base: TextRun): readonly TextRun[] {
  const [first] = runs.slice(start);
  const script = first && scriptOf(first, base);
  if (!first || !script || base.fontSize > first.fontSize * largestBase) return [];
  const rest = runs.slice(start);
  const end = rest.findIndex((run, at) => {
    const before = runs[start + at - 1] ?? base;
    const gap = (run.box[0] - rightOf(before.box)) / base.fontSize;
    return (
      scriptOf(run, base) !== script ||
      gap > (!run.spaced ? widestGap : at === 0 ? widestSpace : widestInner) ||
      gap < -1
    );
  });
  const group = end === -1 ? rest : rest.slice(0, end);
  return textOf(group).length > longest ? [] : group;
}

const textOf = (runs: readonly TextRun[]): string => runs.map(({ text }) => text).join('');

/** The runs of a mark as their line shows them. */
function shown(
  group: readonly TextRun[],
  base: TextRun,
  before: string,
  after: string,
  noted: ReadonlySet<string>,
  hasNotes: boolean,
): readonly TextRun[] {
  const text = textOf(group);
  const [first] = group;
  const script = first && scriptOf(first, base);
  const isMath = (run: TextRun): boolean => isOfMath(run) && /[\p{L}\p{N}]/u.test(run.text);
  const ofMath = [base, ...group].some(isMath);
  const isFraction = /[/⁄]$/.test(before);
  const as =
    script === '^'
      ? raisedAs({ hasNotes, text, before, after, ofMath, isNoted: noted.has(text) })
      : isFraction
        ? 'joined'
        : 'script';
  const isSimple = /^[+−–-]?(?:\d+|\p{L}+)$|^\d*[+−–-]$/u.test(text);
  return group.map((run, at) => {
    if (as === 'joined') return at === 0 ? { ...run, spaced: false } : run;
    if (as === 'note') return { ...run, spaced: at === 0, inText: run.text };
    const opening = at > 0 ? '' : `${script ?? ''}${isSimple ? '' : '{'}`;
    const closing = isSimple || at < group.length - 1 ? '' : '}';
    const inText = `${opening}${run.text.replace(/[−–]/g, '-')}${closing}`;
    return { ...run, spaced: false, inText };
  });
}

// cspell:ignore tcdmnpfµμ
/** A raised mark in its line. */
interface RaisedMark {
  readonly text: string;
  /** The line in front of it, and what follows. */
  readonly before: string;
  readonly after: string;
  /** Whether it or what it stands at is in a font or a character of mathematics. */
  readonly ofMath: boolean;
  /** Whether it begins a note on its page. */
  readonly isNoted: boolean;
  /** Whether any raised number begins a note of the document. */
  readonly hasNotes: boolean;
}

/**
 * What a raised mark is: a `script` (the exponent of `10^5`, `x^2`, `m^2`, `s^-1`, the charge of `Ca^2+`), the mark of a `note`, an
 * affiliation or a citation, or a part of its word that changes no number (`joined`), such as `th` and `*`.
 */
function raisedAs(mark: RaisedMark): 'script' | 'note' | 'joined' {
  const { text, before, after, ofMath } = mark;
  // Notes have no sign.
  if (/^[+−–-](?:\d|\p{L})|^\d*[+−–-]$/u.test(text)) return 'script';
  if (!/[\p{L}\p{N}]/u.test(text) || inWord.test(`${before.slice(-1)}${text}`)) return 'joined';
  // Logos raise letters within a word.
  if (/^\p{L}+$/u.test(text) && (/^\p{L}/u.test(after) || text.length > 4) && !ofMath)
    return 'joined';
  return isExponent(mark) ? 'script' : 'note';
}

/** `4th`, `2e`, `No.`, `Acme™`. */
const inWord =
  /^(?:[\dIVX](?:st|nd|rd|th|er|re|e|de|ème|eme|ère)|[Nn]os?|M(?:r|rs|me|lle)|\p{L}(?:TM|SM|R))$/u;

function isExponent(mark: RaisedMark): boolean {
  const { text, ofMath } = mark;
  // A power of what has an index.
  const before = mark.before.replace(/_(?:\{[^{}]*\}|\p{L}|\d+)$/u, '');
  if (mark.isNoted && before !== mark.before) return false;
  const [, context = '', number] = /^(.*?)(\d[\d.,]*)$/s.exec(before) ?? [];
  if (number !== undefined && !/\p{L}$/u.test(context)) return isPower(mark, number, context);
  if (/[\p{L}°]$/u.test(before)) {
    const word = /[\p{L}\p{M}°]+$/u.exec(before)?.[0] ?? '';
    if (ofMath || (/^\p{L}$/u.test(word) && !/[,;]/.test(text))) return true;
    const isFormula = /[=+×·]\s?\p{L}{1,3}$/u.test(before);
    return /^\d$/.test(text) && (isUnit(word) || functionName.test(word) || isFormula);
  }
  // A bracket of a formula, not a remark.
  if (/[)\]]$/.test(before))
    return ofMath || /[([](?:\p{L}|[^()[\]]*[+−×·/=*][^()[\]]*)[)\]]$/u.test(before);
  return ofMath && !/[.,;:!?”"’]$/.test(before);
}

/** Of a number: one of mathematics, ten, or one at which no note is likely. */
function isPower(mark: RaisedMark, number: string, context: string): boolean {
  const { text, after, ofMath, isNoted, hasNotes } = mark;
  if (!/^\d+$/.test(text)) return ofMath || (/^(?:2|10)$/.test(number) && /^[k-nx]$/.test(text));
  // The other part of a fraction.
  if (/^[/⁄]/.test(after)) return false;
  if (number === '10') return !isNoted || /[×·⋅x*]\s?$/.test(context);
  // Nobody raises to the power of one.
  if (isNoted || text === '1') return false;
  if (/^\s?[=≈×·⋅<>≤≥]/.test(after)) return true;
  // `Table 4`, `42 ships`.
  const isLabel = /\p{Lu}\p{L}+\.?\s$/u.test(context);
  const counts = number.length > 1 && /^\s\p{L}{3}/u.test(after);
  return !isLabel && (hasNotes || !counts);
}

/** Whether a word is a unit that is squared or cubed. */
const isUnit = (word: string): boolean =>
  /^(?:[kMGTcdmnpfµμ]?(?:m|g|s|A|K|L|l|J|W|N|V|T|C|F|H|Pa|Hz|mol|eV|pc|rad)|ft|yd|ha|px|deg|dB|°)$/u.test(
    word,
  );

const functionName = /^(?:sin|cos|tan|log|ln|exp|sinh|cosh|tanh|cot|sec|csc)$/;
