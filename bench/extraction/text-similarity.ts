import { squash, words } from './compare.js';
import type { MeasuredPaper } from './papers.js';
import type { Score } from './report.js';
import { gap, type PaperTruth } from './truth.js';

/**
 * The words of abstract and sections against those of the source, aligned in order. Lists of references have measures of their own:
 * their style prints words that the source does not spell out. `right` counts words on both sides, so that the share is
 * 2 · common / (true + found). Some words where the source has a gap are free.
 */
export function scoreSimilarity({ truth, paper }: MeasuredPaper): Score | null {
  if (truth === null || truth.paragraphs.length === 0) return null;
  const expected = tokensOf(truth);
  const running = paper.sections.filter(({ title }) => !holdsReferences(title));
  const found = [paper.abstract ?? '', ...running.map(({ text }) => text)].flatMap(words);
  const { common, free, faults } = align(expected, found);
  const trueWords = expected.filter((word) => word !== gap).length;
  const all = trueWords + found.length - free;
  return { right: 2 * common, expected: all, found: all, faults };
}

const holdsReferences = (title: string): boolean =>
  ['references', 'bibliography'].includes(squash(title));

/** Words, and a gap wherever one stands in or beside a word. */
const tokensOf = ({ abstract, paragraphs }: PaperTruth): readonly string[] =>
  [abstract ?? '', ...paragraphs].flatMap((text) =>
    text.split(new RegExp(`(${gap})`)).flatMap((part) => (part === gap ? [gap] : words(part))),
  );

interface Alignment {
  /** Words that both have, in the same order. */
  readonly common: number;
  /** Found words at gaps. */
  readonly free: number;
  readonly faults: readonly string[];
}

/** Words of a formula that a gap stands for. Without a limit, a gap would excuse whole tables and paragraphs. */
const mostFree = 30;

/** What stands between two words that both have. */
interface Difference {
  readonly missing: string[];
  readonly added: string[];
  gaps: number;
}

function align(truth: readonly string[], found: readonly string[]): Alignment {
  const differences = differencesOf(truth, found);
  let free = 0;
  const faults: string[] = [];
  for (const { missing, added, gaps } of differences) {
    const excused = Math.min(added.length, mostFree * gaps);
    free += excused;
    if (missing.length > 0) faults.push(`- ${missing.join(' ')}`);
    if (added.length > excused) faults.push(`+ ${added.slice(excused).join(' ')}`);
  }
  return { common: differences.length - 1, free, faults };
}

const [match, skipTruth, skipFound] = [0, 1, 2];

/** Aligns as many words as possible: one difference before, between and after them, mostly empty. */
function differencesOf(truth: readonly string[], found: readonly string[]): readonly Difference[] {
  const width = found.length + 1;
  const steps = new Uint8Array((truth.length + 1) * width).fill(skipFound);
  let above = new Uint16Array(width);
  for (let row = 1; row <= truth.length; row += 1) {
    const current = new Uint16Array(width);
    for (let column = 0; column < width; column += 1) {
      const without = above[column] ?? 0;
      const before = column > 0 ? (current[column - 1] ?? 0) : -1;
      const isMatch = column > 0 && truth[row - 1] === found[column - 1];
      current[column] = isMatch ? (above[column - 1] ?? 0) + 1 : Math.max(without, before);
      steps[row * width + column] = isMatch ? match : without >= before ? skipTruth : skipFound;
    }
    above = current;
  }
  const differences: Difference[] = [{ missing: [], added: [], gaps: 0 }];
  for (let row = truth.length, column = found.length; row > 0 || column > 0;) {
    const difference = differences[0] ?? { missing: [], added: [], gaps: 0 };
    const step = row === 0 ? skipFound : column === 0 ? skipTruth : steps[row * width + column];
    if (step === match) differences.unshift({ missing: [], added: [], gaps: 0 });
    else if (step === skipFound) difference.added.unshift(found[column - 1] ?? '');
    else if (truth[row - 1] === gap) difference.gaps += 1;
    else difference.missing.unshift(truth[row - 1] ?? '');
    if (step !== skipFound) row -= 1;
    if (step !== skipTruth) column -= 1;
  }
  return differences;
}
