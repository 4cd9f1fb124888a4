import type { EpochScores, PassAt } from '../domain/reports/epoch-scores.js';
import type { Estimate } from '../domain/reports/estimate.js';
import type { GroupScore } from '../domain/reports/group-scores.js';
import type { FieldScores, ScoreLedger } from '../domain/reports/score-ledger.js';
import { alignColumns } from './align-columns.js';

/** Groups of one field shown at most; `--json` has them all. */
const groupsShown = 25;

/** A score with its interval and how many it is of, and what is missing, in one line or two. */
export function headlineLines({ headline, verdicts }: ScoreLedger): readonly string[] {
  const { score, scored, samples, scorable, unresolved, bounds } = headline;
  const reasons = Object.entries(verdicts)
    .filter(([verdict]) => verdict !== 'scored' && verdict !== 'no-evaluator')
    .map(([reason, count]) => `${count} ${reason}`);
  const unscorable = samples - scorable;
  return [
    [
      score === null
        ? 'no score'
        : `mean score ${decimals(score.mean)} over ${scored} scored, ${intervalText(score)}`,
      ...(unscorable > 0 ? [`${unscorable} name no evaluator`] : []),
    ].join('; '),
    ...(unresolved > 0 && bounds
      ? [
          `${unresolved} of ${scorable} have no score and enter no mean (${reasons.join(', ')}): it would be ${decimals(bounds.worst)} if all of them were wrong, ${decimals(bounds.best)} if all were right`,
        ]
      : []),
  ];
}

/** `95 % between 0.801 and 0.876`, and of what the interval comes where that is not the plain proportion. */
const intervalText = ({ interval, method, clusters }: Estimate): string =>
  `95 % between ${decimals(interval.low)} and ${decimals(interval.high)}${method === 'cluster-robust' ? ` (by ${clusters} papers or questions)` : ''}`;

/** The whole ledger below its headline: epochs, and a table for each field that divides the questions. */
export const ledgerText = ({ epochs, groups }: ScoreLedger): readonly string[] => [
  ...(epochs ? ['', epochsText(epochs)] : []),
  ...groups.filter(dividesQuestions).flatMap((field) => ['', groupTable(field)]),
];

const dividesQuestions = ({ scores }: FieldScores): boolean => scores.length > 1;

function groupTable({ field, scores }: FieldScores): string {
  const shown = [...scores].sort((a, b) => b.samples - a.samples).slice(0, groupsShown);
  const more = scores.length - shown.length;
  return [
    alignColumns([[field, 'score', '95 % between', 'scored', 'of'], ...shown.map(groupRow)]),
    ...(more > 0 ? [`and ${more} more: --json lists all`] : []),
  ].join('\n');
}

const groupRow = ({ group, score, scored, scorable }: GroupScore): readonly string[] => [
  group,
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
