import type { ScoreDifference, ScoreDifferences } from '../domain/reports/score-differences.js';
import type { ScoreVersion } from '../domain/runs/score-versions.js';
import type { Verdict } from '../domain/scoring/verdict.js';
import { alignColumns } from './align-columns.js';

/** Answers shown at most; `--json` has them all. */
const shownAtMost = 20;

export interface VersionDifference {
  readonly from: ScoreVersion;
  readonly to: ScoreVersion;
  readonly differences: ScoreDifferences;
}

/** How two versions of a run's scores differ, in lines for the terminal. */
export function differenceText({ from, to, differences }: VersionDifference): string {
  const { same, changed, means } = differences;
  const rows = changed.slice(0, shownAtMost).map(differenceRow);
  const more = changed.length - rows.length;
  return [
    `from version ${from.version} (${versionText(from)}) to version ${to.version} (${versionText(to)}): ${changed.length} of ${same + changed.length} scores differ; mean ${meanText(means.before)} → ${meanText(means.after)}`,
    ...(rows.length > 0 ? [alignColumns([['question', 'before', 'after'], ...rows])] : []),
    ...(more > 0 ? [`and ${more} more: --json lists all`] : []),
  ].join('\n');
}

/** `strict scorer, judged by gpt-4o`. */
export const versionText = ({ scorer, judge }: ScoreVersion): string =>
  [`${scorer} scorer`, ...(judge === null ? [] : [`judged by ${judge}`])].join(', ');

const differenceRow = ({ uuid, epoch, before, after }: ScoreDifference): readonly string[] => [
  epoch === 1 ? uuid : `${uuid} (epoch ${epoch})`,
  verdictText(before),
  verdictText(after),
];

function verdictText(verdict: Verdict | null): string {
  if (verdict === null) return '–';
  return verdict.kind === 'scored' ? verdict.score.toFixed(2) : verdict.reason;
}

const meanText = (mean: number | null): string => mean?.toFixed(3) ?? '–';
