import { counted, decimals, joined, percent, said } from '../../../domain/formats/text.js';
import { endedForOutsideReasons } from '../../../domain/agent/question-result.js';
import {
  clustersText,
  type EpochScores,
  type Estimate,
} from '../../../domain/scoring/score-estimate.js';
import {
  meanNames,
  onScale,
  scaleLabels,
  type Verdict,
  type Scale,
} from '../../../domain/scoring/verdict.js';
import {
  rulingsText,
  type FieldScores,
  type Headline,
  type ScoreLedger,
} from '../../../domain/scoring/score-ledger.js';
import {
  versionText,
  type ScoreDifference,
  type ScoreDifferences,
  type ScoreVersion,
} from '../../../domain/scoring/score-version.js';
import { between } from '../terminal.js';
import {
  figuresOf,
  listOf,
  section,
  toned,
  unlessEmpty,
  type Cell,
  type Row,
  type Section,
  type Table,
} from './section.js';
import type { RuleSpread } from '../../../domain/scoring/execution-match/rule-scores.js';
import type { SeparatedAnswers } from '../../runs/scoring/separate-answers.js';

/** A run's score on each scale with its interval and number of questions, and what is missing, on one or two lines. */
export const headlineLines = ({ headlines }: Pick<ScoreLedger, 'headlines'>): readonly string[] =>
  headlines.flatMap(headlineWords);

/** The same of one scale, without a full stop. */
export function headlineWords(headline: Headline): readonly string[] {
  const { scale, score, scored, samples, scorable, unresolved, bounds, verdicts } = headline;
  const reasons = Object.entries(verdicts)
    .filter(([verdict]) => !['scored', 'no-evaluator', 'excluded'].includes(verdict))
    .map(([reason, count]) => `${count} ${reason}`);
  const unscorable = samples - scorable - (verdicts.excluded ?? 0);
  const none =
    scored > 0 ? 'no mean: rules that call different results equal have scored' : 'no score';
  return said([
    joined(
      '; ',
      score === null
        ? none
        : `${meanNames[scale]} ${decimals(score.mean)} over ${scored} scored, ${intervalText(score)}`,
      unscorable > 0 && `${unscorable} name no evaluator`,
    ),
    rulingsText(headline),
    unresolved > 0 &&
      bounds &&
      `${unresolved} of ${scorable} have no score and enter no mean (${reasons.join(', ')}): the mean would be ${decimals(bounds.worst)} if all of them were ${scale === 'unit' ? 'wrong' : 'the worst'}, ${decimals(bounds.best)} if all were ${scale === 'unit' ? 'right' : 'the best'}`,
  ]);
}

/** `95 % between 0.801 and 0.876 (by 12 papers)`. */
const intervalText = ({ interval, clusters, clustersAre }: Estimate): string =>
  `95 % between ${decimals(interval.low)} and ${decimals(interval.high)} (by ${clustersText(clusters, clustersAre)})`;

/** Counts of outcomes and verdicts, the chances over epochs, and the scores of each field with several groups. */
export function ledgerSection({
  samples,
  outcomes,
  verdicts,
  epochs,
  groups,
}: ScoreLedger): Section {
  const variance = epochs?.withinQuestionVariance ?? null;
  return section('ledger', 'Ledger', {
    notes:
      epochs !== null &&
      variance !== null &&
      `the scores of ${counted(epochs.varyingQuestions, 'question')} differ between epochs; variance within a question: ${decimals(variance)}`,
    tables: [
      countsTable('outcome', outcomes, samples),
      countsTable('verdict', verdicts, samples),
      epochs && epochsTable(epochs),
      ...groups.filter(({ scores }) => scores.length > 1).map(fieldTable),
    ],
  });
}

function countsTable(
  kind: string,
  counts: Readonly<Partial<Record<string, number>>>,
  samples: number,
): Table {
  const rows = Object.entries(counts)
    .flatMap(([name, count]) => (count === undefined ? [] : [{ name, count }]))
    .sort((a, b) => b.count - a.count);
  return figuresOf(
    `By ${kind}`,
    [kind, 'questions', 'share'],
    rows.map(({ name, count }) => [outcomeCell(name), count, percent(count, samples)]),
  );
}

const isOutside: Readonly<Partial<Record<string, boolean>>> = endedForOutsideReasons;

/** The name of an outcome. It stands out where its reason is outside of the model. */
export const outcomeCell = (name: string): Cell => toned(name, isOutside[name] && 'bad');

const epochsTable = ({ passAt }: EpochScores): Table =>
  figuresOf(
    'Right at least once',
    ['right in', 'chance', '95 % between', 'questions'],
    passAt.map(({ k, questions, chance }) => [
      `one of ${k}`,
      decimals(chance.mean),
      between(chance.interval),
      questions,
    ]),
  );

function fieldTable({ field, scores }: FieldScores): Table {
  const bounded = scores.some(({ unresolved }) => unresolved > 0);
  return figuresOf(
    `By ${field}`,
    [field, ...meanHeads, ...(bounded ? ['worst', 'best'] : [])],
    scores
      .toSorted((a, b) => b.samples - a.samples)
      .map((each) => [
        `${each.group}${scaleLabels[each.scale]}`,
        ...meanCells(each),
        ...(bounded ? [decimals(each.bounds?.worst), decimals(each.bounds?.best)] : []),
      ]),
  );
}

/** A mean score in a table, with its interval, how many have a score and how many can have one. */
export const meanHeads = ['score', '95 % between', 'scored', 'of'] as const;
export const meanCells = (headline: MeanOf & Pick<Headline, 'scored' | 'scorable'>): Row => [
  meanCell(headline),
  between(headline.score?.interval),
  headline.scored,
  headline.scorable,
];

type MeanOf = Pick<Headline, 'score' | 'rulings'>;

/** With the mean without rulings, where there are any. */
export const meanCell = ({ score, rulings }: MeanOf): Cell =>
  rulings === undefined
    ? decimals(score?.mean)
    : {
        text: decimals(score?.mean),
        under: `without rulings ${decimals(rulings.without.score?.mean)}`,
      };

export interface VersionDifference {
  readonly from: ScoreVersion;
  readonly to: ScoreVersion;
  readonly differences: ScoreDifferences;
}

/** The differences between two versions of a run's scores. */
export const differenceSection = ({
  from,
  to,
  differences: { same, changed, means },
}: VersionDifference): Section =>
  section('versions', 'What changed between versions', {
    words: `from version ${from.version} (${versionText(from)}) to version ${to.version} (${versionText(to)}): ${changed.length} of ${same + changed.length} scores differ${means.map(({ scale, before, after }) => `; mean${scaleLabels[scale]} ${decimals(before)} → ${decimals(after)}`).join('')}`,
    tables: [
      unlessEmpty(
        figuresOf(
          'Scores that differ',
          ['question', 'before', 'after'],
          changed.map(differenceRow),
          3,
        ),
      ),
    ],
  });

const differenceRow = ({ uuid, epoch, before, after, scale }: ScoreDifference): Row => [
  epoch === 1 ? uuid : `${uuid} (epoch ${epoch})`,
  verdictText(before, scale),
  verdictText(after, scale),
];

function verdictText(verdict: Verdict | null, scale: Scale): string {
  if (verdict === null) return '–';
  return verdict.kind === 'scored' ? onScale(verdict.score, scale).toFixed(2) : verdict.reason;
}

/** The score under each rule, how often two rules differ, and how far the means are apart. */
export function rulesSection({ rules, differences, compared, dependOnRule }: RuleSpread): Section {
  const means = rules.flatMap(({ headline }) => headline.score?.mean ?? []);
  const others = rules.slice(1).map(({ rule }) => rule);
  const differ = (one: string, other: string): number | '' =>
    differences.find(({ rules: [a, b] }) => a === one && b === other)?.differ ?? '';
  const areSpread = others.length > 0 && means.length > 0;
  return section('rules', 'Scores by rule', {
    words:
      areSpread &&
      `the rule moves the score by ${decimals(Math.max(...means) - Math.min(...means))}; it decides ${dependOnRule} of ${compared} answers`,
    tables: [
      figuresOf(
        'By rule',
        ['rule', ...meanHeads],
        rules.map(({ rule, headline }) => [rule, ...meanCells(headline)]),
      ),
      areSpread
        ? figuresOf(
            'Answers on which two rules differ',
            ['answers that differ', ...others],
            rules
              .slice(0, -1)
              .map(({ rule }) => [rule, ...others.map((other) => differ(rule, other))]),
          )
        : null,
    ],
  });
}

/** The matches by luck, and those that no copy could be made for. */
export const separationSection = ({ matches, lucky, items }: SeparatedAnswers): Section =>
  section('separation', 'Matches by luck', {
    words: `${matches} match, ${lucky} of them by luck`,
    tables: [
      unlessEmpty(
        listOf(
          'By luck or not tried',
          ['question', 'epoch', '', 'reason'],
          items.flatMap(({ uuid, epoch, separation }) =>
            separation.kind === 'luck'
              ? [[uuid, String(epoch), toned('luck', 'bad'), separation.reason]]
              : separation.copies === 0
                ? [[uuid, String(epoch), toned('not tried', 'warning'), 'its gold runs on no copy']]
                : [],
          ),
        ),
      ),
    ],
  });
