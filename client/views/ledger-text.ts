import type { ScoreVersion } from '../../domain/runs/run-layout.js';
import type { EpochScores, Estimate, PassAt } from '../../domain/scoring/score-estimate.js';
import { meanNames, onScale, scaleLabels, type Scale } from '../../domain/scoring/scale.js';
import type {
  FieldScores,
  GroupScore,
  Headline,
  ScoreLedger,
} from '../../domain/scoring/score-ledger.js';
import type { ScoreDifference, ScoreDifferences } from '../../domain/scoring/scored-sample.js';
import type { Verdict } from '../../domain/scoring/verdict.js';
import { versionText } from '../runs/scoring/score-run.js';
import { alignColumns } from './terminal.js';

/** The most groups shown for a field; `--json` lists all. */
const groupsShown = 25;

/** A run's score on each scale with its interval and number of questions, and what is missing, on one or two lines. */
export const headlineLines = ({ headlines }: ScoreLedger): readonly string[] =>
  headlines.flatMap(linesOf);

function linesOf(headline: Headline): readonly string[] {
  const { scale, score, scored, samples, scorable, unresolved, bounds, verdicts } = headline;
  const reasons = Object.entries(verdicts)
    .filter(([verdict]) => verdict !== 'scored' && verdict !== 'no-evaluator')
    .map(([reason, count]) => `${count} ${reason}`);
  const unscorable = samples - scorable;
  return [
    [
      score === null
        ? scored > 0
          ? 'no mean: rules that call different results equal have scored'
          : 'no score'
        : `${meanNames[scale]} ${decimals(score.mean)} over ${scored} scored, ${intervalText(score, scored)}`,
      ...(unscorable > 0 ? [`${unscorable} name no evaluator`] : []),
    ].join('; '),
    ...(unresolved > 0 && bounds
      ? [
          `${unresolved} of ${scorable} have no score and enter no mean (${reasons.join(', ')}): the mean would be ${decimals(bounds.worst)} if all of them were ${scale === 'unit' ? 'wrong' : 'the worst'}, ${decimals(bounds.best)} if all were ${scale === 'unit' ? 'right' : 'the best'}`,
        ]
      : []),
  ];
}

/** `95 % between 0.801 and 0.876`, with the number of clusters if these count, and not the questions. */
const intervalText = ({ interval, method, clusters }: Estimate, scored: number): string =>
  `95 % between ${decimals(interval.low)} and ${decimals(interval.high)}${method === 'cluster-robust' || clusters < scored ? ` (by ${clusters} papers or questions)` : ''}`;

/** The ledger below its headline: epochs, and a table for each field with more than one group. */
export const ledgerText = ({ epochs, groups }: ScoreLedger): readonly string[] => [
  ...(epochs ? ['', epochsText(epochs)] : []),
  ...groups.filter(hasSeveralGroups).flatMap((field) => ['', groupTable(field)]),
];

const hasSeveralGroups = ({ scores }: FieldScores): boolean => scores.length > 1;

function groupTable({ field, scores }: FieldScores): string {
  const shown = [...scores].sort((a, b) => b.samples - a.samples).slice(0, groupsShown);
  const more = scores.length - shown.length;
  return [
    alignColumns([[field, 'score', '95 % between', 'scored', 'of'], ...shown.map(groupRow)]),
    ...(more > 0 ? [`and ${more} more: --json lists all`] : []),
  ].join('\n');
}

const groupRow = ({ group, scale, score, scored, scorable }: GroupScore): readonly string[] => [
  `${group}${scaleLabels[scale]}`,
  score ? decimals(score.mean) : '–',
  score ? `${decimals(score.interval.low)} – ${decimals(score.interval.high)}` : '',
  String(scored),
  String(scorable),
];

function epochsText(epochs: EpochScores): string {
  const { passAt, withinQuestionVariance: variance, varyingQuestions } = epochs;
  return [
    alignColumns([['', 'chance', '95 % between', 'questions'], ...passAt.map(passRow)]),
    ...(variance === null
      ? []
      : [
          `questions whose scores differ between epochs: ${varyingQuestions} · variance within a question: ${decimals(variance)}`,
        ]),
  ].join('\n');
}

const passRow = ({ k, questions, chance }: PassAt): readonly string[] => [
  `right in one of ${k}`,
  decimals(chance.mean),
  `${decimals(chance.interval.low)} – ${decimals(chance.interval.high)}`,
  String(questions),
];

const decimals = (value: number): string => value.toFixed(3);

/** The most answers shown; `--json` lists all. */
const shownAtMost = 20;

export interface VersionDifference {
  readonly from: ScoreVersion;
  readonly to: ScoreVersion;
  readonly differences: ScoreDifferences;
}

/** The differences between two versions of a run's scores, as lines for the terminal. */
export function differenceText({ from, to, differences }: VersionDifference): string {
  const { same, changed, means } = differences;
  const rows = changed.slice(0, shownAtMost).map(differenceRow);
  const more = changed.length - rows.length;
  return [
    `from version ${from.version} (${versionText(from)}) to version ${to.version} (${versionText(to)}): ${changed.length} of ${same + changed.length} scores differ${means.map(({ scale, before, after }) => `; mean${scaleLabels[scale]} ${meanText(before)} → ${meanText(after)}`).join('')}`,
    ...(rows.length > 0 ? [alignColumns([['question', 'before', 'after'], ...rows])] : []),
    ...(more > 0 ? [`and ${more} more: --json lists all`] : []),
  ].join('\n');
}

const differenceRow = ({
  uuid,
  epoch,
  before,
  after,
  scale,
}: ScoreDifference): readonly string[] => [
  epoch === 1 ? uuid : `${uuid} (epoch ${epoch})`,
  verdictText(before, scale),
  verdictText(after, scale),
];

function verdictText(verdict: Verdict | null, scale: Scale): string {
  if (verdict === null) return '–';
  return verdict.kind === 'scored' ? onScale(verdict.score, scale).toFixed(2) : verdict.reason;
}

const meanText = (mean: number | null): string => mean?.toFixed(3) ?? '–';
