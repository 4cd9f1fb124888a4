import {
  baselineOf,
  isMonospaced,
  sharedHeight,
  sharedWidth,
  type BodyPrint,
} from '../body-print.js';
import { bottomOf, rightOf, unionOf } from '../boxes.js';
import { textOf } from '../lines.js';
import type { Box, PageContent, PdfContent, TextLine } from '../page-content.js';
import type { PaperEquation } from '../paper.js';
import { hasMath, mathShare, wordsOf } from './latex-characters.js';
import { latexOf } from './latex.js';

/**
 * The displayed formulas of a paper. Their lines are not taken out of the text: sentences run through them.
 * @param consumed - lines of figures, captions, notes and the like
 */
export function findEquations(
  content: PdfContent,
  body: BodyPrint,
  consumed: ReadonlySet<TextLine>,
): readonly PaperEquation[] {
  return content.pages.flatMap((page, index) =>
    (page.unusable === null ? blocksOf(page, body, consumed) : []).map((block) => {
      const { lines, number } = withoutNumber(block, page);
      const box = unionOf(lines.map((line) => line.box));
      const runs = lines.flatMap((line) => line.runs);
      const rules = page.rules.filter((rule) => sharedHeight(rule, box) >= 0);
      return { page: index + 1, box, text: textOf(lines), latex: latexOf(runs, rules), number };
    }),
  );
}

/** Of the characters. Running text with a formula in it has less, a formula with a condition in words has more. */
const leastMath = 0.5;
/** `if`, `otherwise` and the like. */
const mostWords = 2;
/** A formula says something of something. */
const relation = /[=<>≤≥≠≈≡∼≃∝∈∉⊂⊆→←⇒⇔:↦]/u;

/** Groups of lines of mathematics that no text stands beside. */
function blocksOf(
  page: PageContent,
  body: BodyPrint,
  consumed: ReadonlySet<TextLine>,
): readonly (readonly TextLine[])[] {
  const lines = page.lines.filter((line) => line.upright && !consumed.has(line));
  const formulas = new Set(lines.filter(isFormula));
  const text = lines.filter((line) => !formulas.has(line) && wordsOf(line.text).length > 1);
  const apart = [...formulas].filter((line) => !text.some((other) => isBeside(line, other, body)));
  const blocks: TextLine[][] = [];
  for (const line of apart.sort((a, b) => a.box[1] - b.box[1])) {
    const near = blocks.filter((block) => {
      const box = unionOf(block.map((other) => other.box));
      const gap = line.box[1] - bottomOf(box);
      return gap < body.leading * 0.6 && sharedWidth(box, line.box) > -body.fontSize * 6;
    });
    for (const block of near) blocks.splice(blocks.indexOf(block), 1);
    blocks.push([...near.flat(), line]);
  }
  return blocks.filter((block) => {
    const whole = block.map((line) => line.text).join(' ');
    const box = unionOf(block.map((line) => line.box));
    return (
      relation.test(whole) && box[2] > body.fontSize * 3 && block.some(({ runs }) => hasMath(runs))
    );
  });
}

function isFormula({ runs, text }: TextLine): boolean {
  if (runs.some(({ font }) => isMonospaced(font)) || isNumber({ text })) return false;
  return (
    wordsOf(text).length <= mostWords &&
    mathShare(runs) >= leastMath &&
    /[^\d\s.,()[\]–-]/.test(text)
  );
}

/** Whether text of some words stands in the row of a piece of mathematics, which then belongs to that text. */
function isBeside(line: TextLine, text: TextLine, body: BodyPrint): boolean {
  return (
    sharedHeight(line.box, text.box) > Math.min(line.box[3], text.box[3]) * 0.3 &&
    Math.abs(baselineOf(line) - baselineOf(text)) < body.fontSize &&
    sharedWidth(line.box, text.box) > -body.fontSize * 4
  );
}

const equationNumber = /^[([]((?:[A-Z]\.?)?\d+(?:[.-]\d+)*[a-z]?)[)\]]$/;
const isNumber = ({ text }: Pick<TextLine, 'text'>): boolean => equationNumber.test(text);

interface Numbered {
  readonly lines: readonly TextLine[];
  readonly number: string | null;
}

/** The number stands right of its formula, in a line of its own or at the end of one. */
function withoutNumber(block: readonly TextLine[], page: PageContent): Numbered {
  const box = unionOf(block.map((line) => line.box));
  const own = page.lines.find(
    (line) => isNumber(line) && isRightOf(line.box, box) && sharedHeight(line.box, box) > 0,
  );
  if (own !== undefined)
    return { lines: block, number: equationNumber.exec(own.text)?.[1] ?? null };
  const ending = block.map(cutNumber);
  const number = ending.find((line) => line.number !== null)?.number ?? null;
  return { lines: ending.flatMap(({ lines }) => lines), number };
}

const isRightOf = (number: Box, box: Box): boolean => number[0] >= rightOf(box) - 2;

function cutNumber(line: TextLine): Numbered {
  const last = line.runs.at(-1);
  const before = line.runs.slice(0, -1);
  const number = last === undefined ? null : (equationNumber.exec(last.text)?.[1] ?? null);
  const gap =
    last === undefined ? 0 : last.box[0] - Math.max(...before.map(({ box }) => rightOf(box)));
  if (number === null || before.length === 0 || gap < line.fontSize) {
    return { lines: [line], number: null };
  }
  const text = before.map((run) => (run.spaced ? ` ${run.text}` : run.text)).join('');
  return {
    lines: [{ ...line, runs: before, text, box: unionOf(before.map(({ box }) => box)) }],
    number,
  };
}
