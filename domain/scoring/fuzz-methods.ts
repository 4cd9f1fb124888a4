import type { ScoringMode } from './comparison.js';
import { ratio, type Measure } from './fuzzy-ratio.js';
import { containingRatio, partialRatio } from './partial-ratio.js';
import { roundHalfEven } from './rounding.js';
import { cleaned, settingTokens, sortingTokens } from './token-ratio.js';

/** fuzzywuzzy's measures by the name an evaluator gives them; undefined for a name it does not have. */
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

const onCleaned =
  (measure: Measure, whole = false): Measure =>
  (a, b) =>
    measure(cleaned(a, whole), cleaned(b, whole));

const quick: Measure = (a, b) => (a === '' || b === '' ? 0 : ratio(a, b));

/** The best of several measures, those that forgive more counting less: windows only when one text is 1.5 times the other. */
const weighted =
  (partial: Measure): Measure =>
  (a, b) => {
    if (a === '' || b === '') return 0;
    const lengths = [Array.from(a).length, Array.from(b).length];
    const proportion = Math.max(...lengths) / Math.min(...lengths);
    const scores =
      proportion < 1.5
        ? [sortingTokens(ratio)(a, b) * 0.95, settingTokens(ratio)(a, b) * 0.95]
        : partialScores(partial, a, b, proportion > 8 ? 0.6 : 0.9);
    return roundHalfEven(Math.max(ratio(a, b), ...scores));
  };

function partialScores(partial: Measure, a: string, b: string, scale: number): readonly number[] {
  return [
    partial(a, b) * scale,
    sortingTokens(partial)(a, b) * 0.95 * scale,
    settingTokens(partial)(a, b) * 0.95 * scale,
  ];
}

const strictMethods = methodsWith(partialRatio);
const defaultMethods = methodsWith(containingRatio);
