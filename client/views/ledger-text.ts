import { decimals, joined, said, type Texts } from '../../domain/formats/text.js';
import type { EpochScores, Estimate } from '../../domain/scoring/score-estimate.js';
import { clustersText } from '../../domain/scoring/clusters.js';
import { meanNames, onScale, scaleLabels, type Scale } from '../../domain/scoring/scale.js';
import type { Headline, ScoreLedger } from '../../domain/scoring/score-ledger.js';
import type { ScoreDifference, ScoreDifferences } from '../../domain/scoring/score-differences.js';
import type { Verdict } from '../../domain/scoring/verdict.js';
import { versionText, type ScoreVersion } from '../../domain/scoring/score-version.js';
import { between, meanCells, meanHeads, table, type Row } from './terminal.js';

/** The most groups shown for a field; `--json` lists all. */
const groupsShown = 25;

/** A run's score on each scale with its interval and number of questions, and what is missing, on one or two lines. */
export const headlineLines = ({ headlines }: Pick<ScoreLedger, 'headlines'>): readonly string[] =>
  said(headlines.map(linesOf));

function linesOf(headline: Headline): Texts {
  const { scale, score, scored, samples, scorable, unresolved, bounds, verdicts } = headline;
  const reasons = Object.entries(verdicts)
    .filter(([verdict]) => verdict !== 'scored' && verdict !== 'no-evaluator')
    .map(([reason, count]) => `${count} ${reason}`);
  const unscorable = samples - scorable;
  const none =
    scored > 0 ? 'no mean: rules that call different results equal have scored' : 'no score';
  return [
    joined(
      '; ',
      score === null
        ? none
        : `${meanNames[scale]} ${decimals(score.mean)} over ${scored} scored, ${intervalText(score)}`,
      unscorable > 0 && `${unscorable} name no evaluator`,
    ),
    unresolved > 0 &&
      bounds &&
      `${unresolved} of ${scorable} have no score and enter no mean (${reasons.join(', ')}): the mean would be ${decimals(bounds.worst)} if all of them were ${scale === 'unit' ? 'wrong' : 'the worst'}, ${decimals(bounds.best)} if all were ${scale === 'unit' ? 'right' : 'the best'}`,
  ];
}

/** `95 % between 0.801 and 0.876 (by 12 papers)`. */
const intervalText = ({ interval, clusters, clustersAre }: Estimate): string =>
  `95 % between ${decimals(interval.low)} and ${decimals(interval.high)} (by ${clustersText(clusters, clustersAre)})`;

/** The ledger below its headline: epochs, and a table for each field with more than one group. */
export const ledgerText = ({ epochs, groups }: ScoreLedger): readonly string[] =>
  said([
    epochs && ['', epochLines(epochs)],
    groups
      .filter(({ scores }) => scores.length > 1)
      .map(({ field, scores }) => [
        '',
        table(
          [field, ...meanHeads],
          scores
            .toSorted((a, b) => b.samples - a.samples)
            .map((each) => [`${each.group}${scaleLabels[each.scale]}`, ...meanCells(each)]),
          groupsShown,
        ),
      ]),
  ]);

const epochLines = ({ passAt, withinQuestionVariance, varyingQuestions }: EpochScores): Texts => [
  table(
    ['', 'chance', '95 % between', 'questions'],
    passAt.map(({ k, questions, chance }) => [
      `right in one of ${k}`,
      decimals(chance.mean),
      between(chance.interval),
      questions,
    ]),
  ),
  withinQuestionVariance !== null &&
    `questions whose scores differ between epochs: ${varyingQuestions} · variance within a question: ${decimals(withinQuestionVariance)}`,
];

/** The most answers shown; `--json` lists all. */
const shownAtMost = 20;

export interface VersionDifference {
  readonly from: ScoreVersion;
  readonly to: ScoreVersion;
  readonly differences: ScoreDifferences;
}

/** The differences between two versions of a run's scores, as lines for the terminal. */
export const differenceText = ({
  from,
  to,
  differences: { same, changed, means },
}: VersionDifference): string =>
  joined(
    '\n',
    `from version ${from.version} (${versionText(from)}) to version ${to.version} (${versionText(to)}): ${changed.length} of ${same + changed.length} scores differ${means.map(({ scale, before, after }) => `; mean${scaleLabels[scale]} ${decimals(before)} → ${decimals(after)}`).join('')}`,
    changed.length > 0 &&
      table(['question', 'before', 'after'], changed.map(differenceRow), shownAtMost),
  );

const differenceRow = ({ uuid, epoch, before, after, scale }: ScoreDifference): Row => [
  epoch === 1 ? uuid : `${uuid} (epoch ${epoch})`,
  verdictText(before, scale),
  verdictText(after, scale),
];

function verdictText(verdict: Verdict | null, scale: Scale): string {
  if (verdict === null) return '–';
  return verdict.kind === 'scored' ? onScale(verdict.score, scale).toFixed(2) : verdict.reason;
}
