import type { CandidateComparison, ComparisonVerdict } from './compare-runs.js';
import type { Difference } from './difference.js';

/** What a comparison comes to, in a sentence that claims no more than it shows. */
export function comparisonWords(baseline: string, compared: CandidateComparison): string {
  const { summary, verdict, difference, adjustedP } = compared;
  if (difference === null || adjustedP === null) {
    return `${summary.run} and ${baseline} cannot be compared: no question has a score in both`;
  }
  const shown = `${signed(difference.mean)}, 95 % between ${signed(difference.interval.low)} and ${signed(difference.interval.high)}, p ${adjustedP < 0.001 ? '' : '= '}${pText(adjustedP)}`;
  const claims: Readonly<Record<ComparisonVerdict, () => string>> = {
    better: () => `${summary.run} is better than ${baseline}: ${shown}`,
    worse: () => `${summary.run} is worse than ${baseline}: ${shown}`,
    'not-decisive': () =>
      `not decisive: ${summary.run} ${inclination(difference, baseline)} (${shown}), which chance could bring about; ${difference.questions} questions would hardly show a difference below ${difference.smallestDetectable.toFixed(3)}`,
    'not-comparable': () => `${summary.run} and ${baseline} cannot be compared`,
  };
  return `${claims[verdict]()}${overturned(compared)}`;
}

function inclination({ mean }: Difference, baseline: string): string {
  if (mean === 0) return `scores the same as ${baseline}`;
  return `scores ${mean > 0 ? 'higher' : 'lower'} than ${baseline}`;
}

/** Where a decisive verdict rests on nothing having gone missing. */
function overturned({ verdict, bounds, unscored }: CandidateComparison): string {
  if (bounds === null || unscored === 0) return '';
  const turns =
    (verdict === 'better' && bounds.worst <= 0) || (verdict === 'worse' && bounds.best >= 0);
  return turns ? `; the ${unscored} questions without a score in both could overturn it` : '';
}

/** `+0.120`, `−0.031`, `0.000`. */
export function signed(value: number): string {
  const text = Math.abs(value).toFixed(3);
  if (Number(text) === 0) return text;
  return `${value > 0 ? '+' : '−'}${text}`;
}

export const pText = (p: number): string => (p < 0.001 ? 'below 0.001' : p.toFixed(3));
