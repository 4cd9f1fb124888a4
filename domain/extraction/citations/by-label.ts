import type { TextLine, TextRun } from '../page-content.js';
import type { Citation } from '../paper.js';

export type FoundCitation = Omit<Citation, 'page'>;
/** The index of the entry with a label. */
export type Labels = ReadonlyMap<string, number>;

/** Neither an index behind a name nor a second bracket. */
const bracket = /(?<![\p{L}\p{N})\]_$])\[([^[\]]{1,80})\]/gu;

/** `[12]`, `[3-5]`, `[Smi99, p. 4]`. */
export const citationsInBrackets =
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
export const citationsInRoundBrackets =
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
export function raisedCitations({ runs }: TextLine, byLabel: Labels): readonly FoundCitation[] {
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
