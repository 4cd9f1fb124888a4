import { words } from './compare.js';
import type { MeasuredPaper } from './papers.js';
import type { Score } from './score.js';
import { gap, type PaperTruth } from './truth.js';

/**
 * The words of abstract and sections against those of the source, aligned in order. `right` counts words on both sides, so that the
 * share is 2 · common / (true + found). Some words where the source has a gap are free.
 */
export function scoreSimilarity({ truth, paper }: MeasuredPaper): Score | null {
  if (truth === null || truth.paragraphs.length === 0) return null;
  const expected = tokensOf(truth);
  const found = [paper.abstract ?? '', ...paper.sections.map(({ text }) => text)].flatMap(words);
  const { common, free, faults } = align(expected, found);
  const trueWords = expected.filter((word) => word !== gap).length;
  const all = trueWords + found.length - free;
  return { right: 2 * common, expected: all, found: all, faults };
}

/** Words, and a gap wherever one stands in or beside a word. */
const tokensOf = ({ abstract, paragraphs }: PaperTruth): readonly string[] =>
  [abstract ?? '', ...paragraphs].flatMap((text) =>
    text.split(new RegExp(`(${gap})`)).flatMap((part) => (part === gap ? [gap] : words(part))),
  );

interface Alignment {
  readonly common: number;
  /** Found words at gaps. */
  readonly free: number;
  readonly faults: readonly string[];
}

const [match, skipTruth, skipFound, skipFree] = [0, 1, 2, 3];

/** Words of a formula that a gap stands for. Without a limit, a gap would swallow whole tables and paragraphs. */
const mostFree = 30;

/** The cheapest alignment: each word without a partner costs one, except for some at each gap. */
function align(truth: readonly string[], found: readonly string[]): Alignment {
  const width = found.length + 1;
  const steps = new Uint8Array((truth.length + 1) * width).fill(skipFound);
  let above = Uint16Array.from({ length: width }, (_, index) => index);
  for (let row = 1; row <= truth.length; row += 1) {
    const current = new Uint16Array(width);
    const word = truth[row - 1];
    const missing = Number(word !== gap);
    let taken = 0;
    for (let column = 0; column < width; column += 1) {
      const costs = [
        column > 0 && word === found[column - 1] ? at(above, column - 1) : Infinity,
        at(above, column) + missing,
        column > 0 ? at(current, column - 1) + (taken < mostFree ? missing : 1) : Infinity,
      ] as const;
      const cost = Math.min(...costs);
      current[column] = cost;
      const step = costs.indexOf(cost);
      const isFree = step === skipFound && missing === 0 && taken < mostFree;
      taken = step === skipFound ? taken + 1 : 0;
      steps[row * width + column] = isFree ? skipFree : step;
    }
    above = current;
  }
  return walkBack(truth, found, steps);
}

const at = (row: Uint16Array, index: number): number => row[index] ?? 0;

function walkBack(
  truth: readonly string[],
  found: readonly string[],
  steps: Uint8Array,
): Alignment {
  const runs: { sign: '-' | '+'; words: string[] }[] = [];
  const note = (sign: '-' | '+', word = ''): void => {
    const last = runs.at(-1);
    if (last?.sign === sign && !fresh) last.words.unshift(word);
    else runs.push({ sign, words: [word] });
    fresh = false;
  };
  let fresh = false;
  let [row, column, common, free] = [truth.length, found.length, 0, 0];
  while (row > 0 || column > 0) {
    const step =
      column === 0 ? skipTruth : row === 0 ? skipFound : steps[row * (found.length + 1) + column];
    if (step === match) {
      common += 1;
      fresh = true;
    } else if (step === skipFree) free += 1;
    else if (step === skipFound) note('+', found[column - 1]);
    else if (truth[row - 1] !== gap) note('-', truth[row - 1]);
    if (step === match || step === skipTruth) row -= 1;
    if (step !== skipTruth) column -= 1;
  }
  const faults = runs.reverse().map(({ sign, words: run }) => `${sign} ${run.join(' ')}`);
  return { common, free, faults };
}
