import { scoreOf, verdictCountOf, type ScoredSample } from '../reports/scored-sample.js';

/** What became of a sample, as a reader looks for it: `right`, `partly right`, `wrong`, or why it has no score. */
export function sampleStanding(sample: ScoredSample): string {
  const score = scoreOf(sample);
  if (score === null) return verdictCountOf(sample);
  if (score === 1) return 'right';
  return score === 0 ? 'wrong' : 'partly right';
}

/** A mark that tells standings apart without colour. */
export function standingMark(standing: string): string {
  const marks: Readonly<Record<string, string>> = {
    right: '●',
    'partly right': '◐',
    wrong: '○',
  };
  return marks[standing] ?? '–';
}
