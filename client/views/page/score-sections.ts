import { scoresByAnswerer } from '../../../domain/agent/who-answered.js';
import { decimals, grouped } from '../../../domain/formats/text.js';
import { clustersText } from '../../../domain/scoring/clusters.js';
import { scaleLabels } from '../../../domain/scoring/scale.js';
import type { EpochScores, Estimate } from '../../../domain/scoring/score-estimate.js';
import type {
  FieldScores,
  GroupScore,
  Headline,
  ScoreLedger,
} from '../../../domain/scoring/score-ledger.js';
import { scoreOf } from '../../../domain/scoring/answer.js';
import { figuresTable, markup, numberCell, percent, rowHead, type Markup } from './markup.js';
import type { ReportedRun } from './reported-run.js';

/** A run's score on each scale with its interval and number of questions, and the effect of missing scores. */
export const headlineSection = ({ headlines }: ScoreLedger): Markup =>
  markup`${headlines.map(headlinePart)}`;

function headlinePart(headline: Headline): Markup {
  const { score } = headline;
  return markup`<div class="headline">
<p class="score"><span class="number">${score ? decimals(score.mean) : 'no score'}</span>${score && intervalPart(score)}</p>
<div>
<p>${denominatorText(headline)}</p>
${missingText(headline)}</div>
</div>
`;
}

const intervalPart = ({ interval }: Estimate): Markup =>
  markup` <span class="interval">95 % between ${decimals(interval.low)} and ${decimals(interval.high)}</span>`;

function denominatorText({ scale, score, scored, samples, scorable }: Headline): Markup {
  const unscorable = samples - scorable;
  return markup`${
    score
      ? markup`${scale === 'unit' ? 'Mean' : 'Mean match score, from 1 to 5,'} over <strong>${grouped(scored)}</strong> scored of ${grouped(scorable)} questions that can have a score. The interval is by ${clustersText(score.clusters, score.clustersAre)}.`
      : scored > 0
        ? 'No mean: rules that call different results equal have scored.'
        : 'No question has a score.'
  }${unscorable > 0 ? ` ${grouped(unscorable)} name no evaluator.` : null}`;
}

function missingText({ scale, unresolved, scorable, bounds, verdicts }: Headline): Markup | null {
  if (unresolved === 0 || bounds === null) return null;
  const reasons = Object.entries(verdicts)
    .filter(([verdict]) => verdict !== 'scored' && verdict !== 'no-evaluator')
    .map(([reason, count]) => `${grouped(count)} ${reason}`);
  return markup`<p><strong>${grouped(unresolved)}</strong> of ${grouped(scorable)} have no score and enter no mean (${reasons.join(', ')}). The mean would be <strong>${decimals(bounds.worst)}</strong> if all of them were ${scale === 'unit' ? 'wrong' : 'the worst'}, <strong>${decimals(bounds.best)}</strong> if all were ${scale === 'unit' ? 'right' : 'the best'}.</p>
`;
}

/** The most groups shown for a field; the largest are shown. */
const groupsShown = 100;

/** Counts of outcomes and verdicts, the scores by field, and the table of epochs. */
export const ledgerSection = ({
  samples,
  outcomes,
  verdicts,
  epochs,
  groups,
}: ScoreLedger): Markup =>
  markup`<div class="tables">
${countsTable('outcome', outcomes, samples)}
${countsTable('verdict', verdicts, samples)}
${epochs && epochsTable(epochs)}
${groups.filter(({ scores }) => scores.length > 1).map(fieldTable)}</div>`;

/** The scores by who answered, from 0 to 1. Null where one upstream answered all. */
export function answererTable({ answers }: Pick<ReportedRun, 'answers'>): Markup | null {
  const groups = scoresByAnswerer(
    answers.flatMap((answer) =>
      answer.result === null
        ? []
        : [{ answeredBy: answer.result.answeredBy ?? [], score: scoreOf(answer) }],
    ),
  );
  if (groups.length < 2) return null;
  return figuresTable({
    caption: 'Score by who answered',
    names: ['answered by'],
    numbers: ['questions', 'score'],
    rows: groups.map(({ answeredBy, questions, mean }) => [
      answeredBy,
      grouped(questions),
      mean === null ? null : decimals(mean),
    ]),
  });
}

function countsTable(
  kind: string,
  counts: Readonly<Partial<Record<string, number>>>,
  samples: number,
): Markup {
  const rows = Object.entries(counts)
    .flatMap(([name, count]) => (count === undefined ? [] : [{ name, count }]))
    .sort((a, b) => b.count - a.count);
  return figuresTable({
    caption: `By ${kind}`,
    names: [kind],
    numbers: ['questions', 'share'],
    rows: rows.map(({ name, count }) => [name, grouped(count), percent(count, samples)]),
    foot: markup`
<tfoot><tr>${rowHead('total')}${numberCell(grouped(samples))}<td></td></tr></tfoot>`,
  });
}

function fieldTable({ field, scores }: FieldScores): Markup {
  const shown = [...scores].sort((a, b) => b.samples - a.samples).slice(0, groupsShown);
  const most =
    scores.length > shown.length
      ? `, the ${groupsShown} largest of ${grouped(scores.length)} groups`
      : '';
  const bounded = shown.some(({ unresolved }) => unresolved > 0);
  return figuresTable({
    caption: `By ${field}${most}`,
    names: [field],
    numbers: ['score', '95 % between', 'scored', 'of', ...(bounded ? ['worst', 'best'] : [])],
    rows: shown.map((row) => [
      `${row.group}${scaleLabels[row.scale]}`,
      ...headlineCells(row),
      ...(bounded
        ? [row.bounds && decimals(row.bounds.worst), row.bounds && decimals(row.bounds.best)]
        : []),
    ]),
  });
}

/** A score, its interval, how many have one and how many can have one. */
export const headlineCells = ({
  score,
  scored,
  scorable,
}: Pick<GroupScore, 'score' | 'scored' | 'scorable'>): readonly (string | null)[] => [
  score ? decimals(score.mean) : '–',
  score && rangeText(score),
  grouped(scored),
  grouped(scorable),
];

const rangeText = ({ interval }: Estimate): string =>
  `${decimals(interval.low)} – ${decimals(interval.high)}`;

function epochsTable(epochs: EpochScores): Markup {
  const { passAt, withinQuestionVariance: variance, varyingQuestions } = epochs;
  const varying =
    variance === null
      ? ''
      : `: the scores of ${grouped(varyingQuestions)} questions differ between epochs, variance within a question ${decimals(variance)}`;
  return figuresTable({
    caption: `${grouped(epochs.epochs)} epochs${varying}`,
    names: ['right at least once'],
    numbers: ['chance', '95 % between', 'questions'],
    rows: passAt.map(({ k, questions, chance }) => [
      `in ${k} ${k === 1 ? 'attempt' : 'attempts'}`,
      decimals(chance.mean),
      rangeText(chance),
      grouped(questions),
    ]),
  });
}
