import { isBlank, str, strip, byCodePoint, type PythonValue } from '../formats/python/value.js';
import { roundHalfEven } from '../statistics/rounding.js';
import {
  EvaluatorError,
  isEnabled,
  numberOption,
  textOption,
  type Comparison,
  type Options,
  type ScoringMode,
} from './scorer-options.js';

/** Whether two texts are equal, after `lowercase` and `ignore_blank`. */
export function matchesExactly(
  answer: PythonValue,
  gold: PythonValue,
  { options }: Comparison,
): boolean {
  return normalText(answer, options, '') === normalText(gold, options, '');
}

/** Whether the similarity by `fuzz_method`, from 0 to 100, is at least `threshold`. */
export function matchesFuzzily(
  answer: PythonValue,
  gold: PythonValue,
  comparison: Comparison,
): boolean {
  const { options, mode } = comparison;
  const name = textOption(options, 'fuzz_method', 'ratio');
  const measure = fuzzMethod(name, mode);
  if (!measure) throw new EvaluatorError(`fuzz_method ${name} is unknown`);
  const gap = name === 'token_sort_ratio' || name === 'token_set_ratio' ? ' ' : '';
  const similarity = measure(normalText(answer, options, gap), normalText(gold, options, gap));
  return similarity >= thresholdOf(comparison, 95);
}

/** A fuzzy match if `threshold` is above 0, else an exact one. */
export function matchesText(
  answer: PythonValue,
  gold: PythonValue,
  comparison: Comparison,
): boolean {
  return thresholdOf(comparison, -1) > 0
    ? matchesFuzzily(answer, gold, comparison)
    : matchesExactly(answer, gold, comparison);
}

/** Default mode reads a threshold up to 1 as a fraction. The reference always reads a number from 0 to 100. */
export function thresholdOf({ options, mode }: Comparison, otherwise: number): number {
  const threshold = numberOption(options, 'threshold', otherwise);
  return mode === 'default' && threshold > 0 && threshold <= 1 ? threshold * 100 : threshold;
}

/** Stripped; with `ignore_blank` each run of blanks becomes `gap`. */
function normalText(value: PythonValue, options: Options, gap: string): string {
  const stripped = strip(str(value));
  const text = isEnabled(options, 'ignore_blank')
    ? Array.from(stripped, (char) => (isBlank(char) ? ' ' : char))
        .join('')
        .replace(/ +/g, gap)
    : stripped;
  return isEnabled(options, 'lowercase') ? text.toLowerCase() : text;
}

/** The similarity of two texts, from 0 to 100. */
type Measure = (a: string, b: string) => number;

/** A measure of fuzzywuzzy 0.18 by its name. Undefined for an unknown name. */
export function fuzzMethod(name: string, mode: ScoringMode): Measure | undefined {
  return (mode === 'strict' ? strictMethods : defaultMethods).get(name);
}

function methodsWith(partial: Measure): ReadonlyMap<string, Measure> {
  return new Map<string, Measure>([
    ['ratio', ratio],
    ['partial_ratio', partial],
    ['token_sort_ratio', onCleaned(sortingTokens(ratio))],
    ['token_set_ratio', onCleaned(settingTokens(ratio))],
    ['partial_token_sort_ratio', onCleaned(sortingTokens(partial))],
    ['partial_token_set_ratio', onCleaned(settingTokens(partial))],
    ['QRatio', onCleaned(quick)],
    ['UQRatio', onCleaned(quick, true)],
    ['WRatio', onCleaned(weighted(partial))],
    ['UWRatio', onCleaned(weighted(partial), true)],
  ]);
}

/** The `ratio` of python-Levenshtein: a substitution costs two edits. */
export function ratio(a: string, b: string): number {
  if (a === b) return 100;
  if (a === '' || b === '') return 0;
  return roundHalfEven(100 * similarity(Array.from(a), Array.from(b)));
}

/** The unrounded `ratio` of code points, from 0 to 1. The order of the operations matters for rounding. */
function similarity(a: readonly string[], b: readonly string[]): number {
  const sum = a.length + b.length;
  return sum === 0 ? 1 : 1 - (sum - 2 * commonSubsequence(a, b)) / sum;
}

/** The length of the longest common subsequence. */
function commonSubsequence(a: readonly string[], b: readonly string[]): number {
  let above = new Uint32Array(b.length + 1);
  let row = new Uint32Array(b.length + 1);
  for (const char of a) {
    for (let j = 1; j <= b.length; j += 1) {
      row[j] =
        b[j - 1] === char ? (above[j - 1] ?? 0) + 1 : Math.max(above[j] ?? 0, row[j - 1] ?? 0);
    }
    [above, row] = [row, above];
  }
  return above[b.length] ?? 0;
}

/**
 * The best `ratio` of the shorter text with windows of the longer one. A window begins at each block of the alignment of both
 * texts. As in fuzzywuzzy, a text that the other one contains can get less than 100.
 */
function partialRatio(a: string, b: string): number {
  if (a === b) return 100;
  if (a === '' || b === '') return 0;
  const [first, second] = [Array.from(a), Array.from(b)];
  const [short, long] = first.length <= second.length ? [first, second] : [second, first];
  let best = 0;
  for (const start of windowStarts(short, long)) {
    const score = similarity(short, long.slice(start, start + short.length));
    if (score > 0.995) return 100;
    best = Math.max(best, score);
  }
  return roundHalfEven(100 * best);
}

/** As `partialRatio`, but 100 for a text that the other one contains. */
const containingRatio: Measure = (a, b) =>
  a !== '' && b !== '' && (a.includes(b) || b.includes(a)) ? 100 : partialRatio(a, b);

/** The indices of two equal characters in an alignment. */
interface Match {
  readonly short: number;
  readonly long: number;
}

/** The start of a window for each block of adjacent matches, and for the empty block at the end. */
function windowStarts(short: readonly string[], long: readonly string[]): readonly number[] {
  const matches = alignment(short, long);
  const blocks = matches.filter((match, index) => {
    const before = matches[index - 1];
    return before?.short !== match.short - 1 || before.long !== match.long - 1;
  });
  return [...blocks, { short: short.length, long: long.length }].map((block) =>
    Math.max(0, block.long - block.short),
  );
}

/** The matches of python-Levenshtein 0.26: the common prefix, a minimal alignment of the middle, and the common suffix. */
function alignment(short: readonly string[], long: readonly string[]): readonly Match[] {
  const most = short.length;
  let prefix = 0;
  while (prefix < most && short[prefix] === long[prefix]) prefix += 1;
  let suffix = 0;
  while (suffix < most - prefix && short.at(-1 - suffix) === long.at(-1 - suffix)) suffix += 1;
  const middle = minimalAlignment(
    short.slice(prefix, short.length - suffix),
    long.slice(prefix, long.length - suffix),
  );
  return [
    ...Array.from({ length: prefix }, (_, at) => ({ short: at, long: at })),
    ...middle.map((match) => ({ short: prefix + match.short, long: prefix + match.long })),
    ...Array.from({ length: suffix }, (_, at) => ({
      short: short.length - suffix + at,
      long: long.length - suffix + at,
    })),
  ];
}

const up = 1;
const left = 2;
const diagonal = 3;

/** The matches on the path from the last cell to the first in the table of Levenshtein distances. */
function minimalAlignment(short: readonly string[], long: readonly string[]): readonly Match[] {
  const steps = stepsBack(short, long);
  const matches: Match[] = [];
  let i = short.length;
  let j = long.length;
  while (i > 0 && j > 0) {
    const step = steps[(i - 1) * long.length + j - 1];
    if (step !== left) i -= 1;
    if (step !== up) j -= 1;
    if (step === diagonal && short[i] === long[j]) matches.push({ short: i, long: j });
  }
  return matches.reverse();
}

/** The step back from each cell of the table, with python-Levenshtein's order of preference. One byte a cell, as answers can be long. */
function stepsBack(short: readonly string[], long: readonly string[]): Uint8Array {
  const steps = new Uint8Array(short.length * long.length);
  let above = Uint32Array.from({ length: long.length + 1 }, (_, j) => j);
  let row = new Uint32Array(long.length + 1);
  for (const [i, char] of short.entries()) {
    row[0] = i + 1;
    for (let j = 1; j <= long.length; j += 1) {
      const corner = above[j - 1] ?? 0;
      const over = above[j] ?? 0;
      const before = row[j - 1] ?? 0;
      const cost = Math.min(over + 1, before + 1, corner + (char === long[j - 1] ? 0 : 1));
      row[j] = cost;
      steps[i * long.length + j - 1] =
        cost === over + 1 ? up : before === corner - 1 ? left : diagonal;
    }
    [above, row] = [row, above];
  }
  return steps;
}

/** Applies `measure` to lower-case words of letters, digits and underscores. Unless `whole`, U+0080 to U+00FF are removed. */
const onCleaned =
  (measure: Measure, whole = false): Measure =>
  (a, b) =>
    measure(cleaned(a, whole), cleaned(b, whole));

function cleaned(text: string, whole: boolean): string {
  const kept = whole ? text : text.replace(/[\x80-\xff]/g, '');
  return strip(kept.replace(/[^\p{L}\p{N}_]/gu, ' ').toLowerCase());
}

/** Compares the words of both texts in alphabetical order. */
const sortingTokens =
  (measure: Measure): Measure =>
  (a, b) =>
    measure(sorted(tokens(a)), sorted(tokens(b)));

/** Compares the common words with the words of either text. If one text has all words of the other, they are equal. */
const settingTokens =
  (measure: Measure): Measure =>
  (a, b) => {
    if (a === '' || b === '') return 0;
    const [first, second] = [new Set(tokens(a)), new Set(tokens(b))];
    const common = sorted([...first].filter((token) => second.has(token)));
    const withOthers = (own: ReadonlySet<string>, other: ReadonlySet<string>): string =>
      `${common} ${sorted([...own].filter((token) => !other.has(token)))}`.trim();
    const [one, two] = [withOthers(first, second), withOthers(second, first)];
    return Math.max(measure(common, one), measure(common, two), measure(one, two));
  };

/** @param text - cleaned, so that words are separated by spaces */
const tokens = (text: string): readonly string[] => text.split(' ').filter((token) => token !== '');

const sorted = (words: readonly string[]): string => words.toSorted(byCodePoint).join(' ');

function quick(a: string, b: string): number {
  return a === '' || b === '' ? 0 : ratio(a, b);
}

/** The best of several weighted measures. `partial` is used only if one text is 1.5 times as long as the other. */
function weighted(partial: Measure): Measure {
  return (a, b) => {
    if (a === '' || b === '') return 0;
    const lengths = [Array.from(a).length, Array.from(b).length];
    const proportion = Math.max(...lengths) / Math.min(...lengths);
    if (proportion < 1.5) {
      const byTokens = [sortingTokens(ratio)(a, b) * 0.95, settingTokens(ratio)(a, b) * 0.95];
      return roundHalfEven(Math.max(ratio(a, b), ...byTokens));
    }
    const scale = proportion > 8 ? 0.6 : 0.9;
    const byWindows = [
      partial(a, b) * scale,
      sortingTokens(partial)(a, b) * 0.95 * scale,
      settingTokens(partial)(a, b) * 0.95 * scale,
    ];
    return roundHalfEven(Math.max(ratio(a, b), ...byWindows));
  };
}

const strictMethods = methodsWith(partialRatio);
const defaultMethods = methodsWith(containingRatio);
