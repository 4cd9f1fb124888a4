import { baselineOf, isMonospaced, sharedWidth, standsBeside, type BodyPrint } from './lines.js';
import {
  bottomOf,
  unionOf,
  type PageContent,
  type PdfContent,
  type TextLine,
  type TextRun,
} from './page-content.js';
import type { Footnote } from './paper.js';

interface FoundFootnote {
  readonly footnote: Footnote;
  readonly lines: readonly TextLine[];
}

/**
 * The notes in small print at the foot of pages, each from its mark to the next one. On page 1 a note may have no mark: it says
 * when, where or under which rights the paper appeared.
 */
export function findFootnotes(content: PdfContent, body: BodyPrint): readonly FoundFootnote[] {
  return content.pages.flatMap((page, index) =>
    notesOf(page, body, index === 0).map(({ mark, lines }) => ({
      footnote: {
        page: index + 1,
        box: unionOf(lines.map(({ box }) => box)),
        mark,
        text: lines
          .map(({ text }) => text)
          .join(' ')
          .slice(mark.length)
          .trim(),
      },
      lines,
    })),
  );
}

interface Note {
  readonly mark: string;
  readonly lines: TextLine[];
}

/** Of the size of the body. */
const largestPrint = 0.93;
/** Of the height of the page. Notes rarely begin higher. */
const highestNote = 0.35;

/** Print of notes without a mark: small and low enough to be no abstract. */
const largestImprint = 0.87;
const highestImprint = 0.7;

function notesOf(page: PageContent, body: BodyPrint, isFirst: boolean): readonly Note[] {
  const upright = page.lines.filter((line) => line.upright);
  const isSmall = (line: TextLine): boolean => line.fontSize <= body.fontSize * largestPrint;
  // Below a note stands nothing in the size of the body but the number of the page.
  const isAtFoot = (line: TextLine): boolean =>
    line.box[1] > page.height * highestNote &&
    !upright.some(
      (other) =>
        !isSmall(other) &&
        other.text.length > 6 &&
        other.box[1] > line.box[1] &&
        sharedWidth(other.box, line.box) > 0,
    );
  const small = upright.filter((line) => isSmall(line) && isAtFoot(line));
  const isImprint = (line: TextLine): boolean =>
    isFirst &&
    line.fontSize <= body.fontSize * largestImprint &&
    line.box[1] > page.height * highestImprint &&
    /\p{L}{3}/u.test(line.text) &&
    !line.runs.every(({ font }) => isMonospaced(font));
  const notes: Note[] = [];
  for (const line of small) {
    const mark = markOf(line) ?? (isImprint(line) ? '' : null);
    const open = notes.at(-1);
    const last = open?.lines.at(-1);
    const goesOn = last !== undefined && isNext(line, last);
    if (mark && goesOn) notes.push({ mark, lines: [line] });
    else if (goesOn) open?.lines.push(line);
    else if (mark !== null && isApart(line, page, body)) notes.push({ mark, lines: [line] });
  }
  return notes.filter(({ mark, lines }) => mark !== '' || !isLabel(lines));
}

/** One or two words, as in a figure. */
const isLabel = (lines: readonly TextLine[]): boolean =>
  lines.flatMap(({ text }) => text.split(' ')).length < 3;

const isNext = (line: TextLine, last: TextLine): boolean => {
  const step = baselineOf(line) - baselineOf(last);
  if (standsBeside(last, line)) return Math.abs(step) < 1;
  return step > 0 && step < last.fontSize * 1.8 && sharedWidth(line.box, last.box) > 0;
};

/** A raised number, or a sign, at the start of a line with other text. The numbers of a listing's lines are not raised. */
function markOf({ runs, text }: TextLine): string | null {
  const [first, next] = runs;
  if (first === undefined || next === undefined) return null;
  if (/^[*∗†‡§¶∥]{1,3}$/.test(first.text)) return first.text;
  if (!/^\d{1,3}$/.test(first.text) || !/\p{L}{2}/u.test(text)) return null;
  return isRaised(first, next) ? first.text : null;
}

const isRaised = (run: TextRun, next: TextRun): boolean =>
  next.baseline - run.baseline > next.fontSize * 0.15;

/** Below a rule, or a gap of more than a line. */
function isApart(line: TextLine, page: PageContent, body: BodyPrint): boolean {
  const top = line.box[1];
  const ruled = page.rules.some(
    (rule) =>
      rule[2] > rule[3] && top - bottomOf(rule) > -2 && top - bottomOf(rule) < body.leading * 1.5,
  );
  const above = page.lines
    .filter(({ box }) => box[1] < top - 2 && sharedWidth(box, line.box) > 0)
    .map(({ box }) => bottomOf(box));
  return ruled || top - Math.max(0, ...above) > body.leading * 0.8;
}
