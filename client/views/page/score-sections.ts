import { scoresByAnswerer } from '../../../domain/agent/who-answered.js';
import { decimals, grouped } from '../../../domain/formats/text.js';
import { keyText } from '../../../domain/ids.js';
import { scaleLabels } from '../../../domain/scoring/scale.js';
import type { EpochScores, Estimate, PassAt } from '../../../domain/scoring/score-estimate.js';
import type {
  FieldScores,
  GroupScore,
  Headline,
  ScoreLedger,
} from '../../../domain/scoring/score-ledger.js';
import { scoreOf } from '../../../domain/scoring/scored-sample.js';
import {
  columnHead,
  markup,
  numberCell,
  numberHead,
  percent,
  rowHead,
  type Markup,
} from './markup.js';
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
  const clusters =
    score?.method === 'cluster-robust'
      ? `, which come from ${grouped(score.clusters)} papers or single questions`
      : null;
  const unscorable = samples - scorable;
  return markup`${
    score
      ? markup`${scale === 'unit' ? 'Mean' : 'Mean match score, from 1 to 5,'} over <strong>${grouped(scored)}</strong> scored of ${grouped(scorable)} questions that can have a score${clusters}.`
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
export function answererTable({
  results,
  samples,
}: Pick<ReportedRun, 'results' | 'samples'>): Markup | null {
  const scores = new Map(samples.map((sample) => [keyText(sample), scoreOf(sample)]));
  const groups = scoresByAnswerer(
    results.map((result) => ({
      answeredBy: result.answeredBy ?? [],
      score: scores.get(keyText(result)) ?? null,
    })),
  );
  if (groups.length < 2) return null;
  return markup`<table class="small"><caption>Score by who answered</caption>
<thead><tr>${columnHead('answered by')}${numberHead('questions')}${numberHead('score')}</tr></thead>
<tbody>${groups.map(({ answeredBy, questions, mean }) => markup`<tr>${rowHead(answeredBy)}${numberCell(grouped(questions))}${numberCell(mean === null ? null : decimals(mean))}</tr>`)}</tbody></table>`;
}

function countsTable(
  kind: string,
  counts: Readonly<Partial<Record<string, number>>>,
  samples: number,
): Markup {
  const rows = Object.entries(counts)
    .flatMap(([name, count]) => (count === undefined ? [] : [{ name, count }]))
    .sort((a, b) => b.count - a.count);
  return markup`<table class="small"><caption>By ${kind}</caption>
<thead><tr>${columnHead(kind)}${numberHead('questions')}${numberHead('share')}</tr></thead>
<tbody>${rows.map(({ name, count }) => markup`<tr>${rowHead(name)}${numberCell(grouped(count))}${numberCell(percent(count, samples))}</tr>`)}</tbody>
<tfoot><tr>${rowHead('total')}${numberCell(grouped(samples))}<td></td></tr></tfoot></table>`;
}

function fieldTable({ field, scores }: FieldScores): Markup {
  const shown = [...scores].sort((a, b) => b.samples - a.samples).slice(0, groupsShown);
  const most =
    scores.length > shown.length
      ? `, the ${groupsShown} largest of ${grouped(scores.length)} groups`
      : null;
  const bounded = shown.some(({ unresolved }) => unresolved > 0);
  const heads = ['score', '95 % between', 'scored', 'of', ...(bounded ? ['worst', 'best'] : [])];
  return markup`<table class="small"><caption>By ${field}${most}</caption>
<thead><tr>${columnHead(field)}${heads.map(numberHead)}</tr></thead>
<tbody>${shown.map((group) => groupRow(group, bounded))}</tbody></table>
`;
}

function groupRow(
  { group, scale, score, scored, scorable, bounds }: GroupScore,
  bounded: boolean,
): Markup {
  const cells = [
    score ? decimals(score.mean) : '–',
    score && `${decimals(score.interval.low)} – ${decimals(score.interval.high)}`,
    grouped(scored),
    grouped(scorable),
    ...(bounded ? [bounds && decimals(bounds.worst), bounds && decimals(bounds.best)] : []),
  ];
  return markup`<tr>${rowHead(`${group}${scaleLabels[scale]}`)}${cells.map(numberCell)}</tr>`;
}

function epochsTable(epochs: EpochScores): Markup {
  const { passAt, withinQuestionVariance: variance, varyingQuestions } = epochs;
  const varying =
    variance === null
      ? null
      : `: the scores of ${grouped(varyingQuestions)} questions differ between epochs, variance within a question ${decimals(variance)}`;
  return markup`<table class="small"><caption>${grouped(epochs.epochs)} epochs${varying}</caption>
<thead><tr>${columnHead('right at least once')}${['chance', '95 % between', 'questions'].map(numberHead)}</tr></thead>
<tbody>${passAt.map(passRow)}</tbody></table>`;
}

const passRow = ({ k, questions, chance }: PassAt): Markup =>
  markup`<tr>${rowHead(`in ${k} ${k === 1 ? 'attempt' : 'attempts'}`)}${[
    decimals(chance.mean),
    `${decimals(chance.interval.low)} – ${decimals(chance.interval.high)}`,
    grouped(questions),
  ].map(numberCell)}</tr>`;
