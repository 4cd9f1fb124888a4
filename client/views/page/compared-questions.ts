import type { Result } from '../../../domain/agent/question-result.js';
import { grouped, preview } from '../../../domain/formats/text.js';
import { keyText } from '../../../domain/ids.js';
import type { RunComparison, Flip } from '../../../domain/runs/compare-runs.js';
import { evaluatorOf } from '../../../domain/scoring/dataset-item.js';
import {
  scaleOfSample,
  scoreOf,
  shownScore,
  type ScoredSample,
} from '../../../domain/scoring/scored-sample.js';
import { signed } from '../comparison-text.js';
import { comparisonAddress } from './document.js';
import { decimals, goldText, markup, sortHead, valueCell, type Markup } from './markup.js';
import { filterForm } from './questions-table.js';
import type { ReportedRun } from './reported-run.js';

/** The most characters of an answer or gold in the table; the question's own view shows all. */
const answerShown = 100;

/** A row of the table: a question in two runs. */
export interface ComparedQuestion {
  readonly candidate: string;
  readonly question: string;
  readonly before: ComparedSide;
  readonly after: ComparedSide;
  readonly change: 'better' | 'worse' | 'same' | 'not comparable';
  /** Why the score changed; null if it did not. */
  readonly because: string | null;
}

export interface ComparedSide {
  readonly sample: ScoredSample;
  readonly result: Result | null;
}

/**
 * A table of the questions that both the baseline and another run asked, changed ones first, with the form that filters it.
 *
 * @param runs - the baseline first, then the others as the comparison has them
 */
export function comparedQuestions(
  comparison: RunComparison,
  [baseline, ...others]: readonly ReportedRun[],
): Markup {
  if (baseline === undefined) return markup``;
  const several = others.length > 1;
  const rows = comparedRows(comparison, baseline, others);
  const texts = ['tags', 'gold', 'answer before', 'answer after', 'change', 'because of'];
  const numbers = ['before', 'after', 'difference', 'turns before', 'turns after'];
  return markup`<p>Before is ${baseline.run}, after ${several ? 'the run of the row' : (others[0]?.run ?? '')}.</p>
${filterForm({
  run: several ? rows.map(({ candidate }) => candidate) : [],
  change: rows.map(({ change }) => change),
  because: rows.flatMap(({ because }) => because ?? []),
  tag: rows.flatMap(({ before }) => [...new Set(before.sample.item.tags)]),
})}
<div class="wide"><table class="questions" id="questions-table">
<caption class="unseen">Every question of both runs with its answers and scores</caption>
<thead><tr>${several ? sortHead('run', 'text') : null}${sortHead('question', 'text')}${texts.map((name) => sortHead(name, 'text'))}${numbers.map((name) => sortHead(name, 'number'))}</tr></thead>
<tbody>
${rows.map((row) => comparedRow(baseline.run, row, several))}</tbody></table></div>`;
}

/** The questions that both the baseline and another run asked, changed ones first. */
export const comparedRows = (
  comparison: RunComparison,
  baseline: ReportedRun,
  others: readonly ReportedRun[],
): readonly ComparedQuestion[] =>
  others
    .flatMap((other) => comparedWith(flipsOf(comparison, other.run), baseline, other))
    .sort((a, b) => Number(a.because === null) - Number(b.because === null));

const flipsOf = ({ candidates }: RunComparison, run: string): readonly Flip[] =>
  candidates.filter(({ summary }) => summary.run === run).flatMap(({ flips }) => flips);

function comparedWith(
  flips: readonly Flip[],
  baseline: ReportedRun,
  other: ReportedRun,
): readonly ComparedQuestion[] {
  const flipOf = new Map(flips.map((flip) => [keyText(flip), flip]));
  const questionOf = new Map(baseline.items.map(({ uuid, question }) => [uuid, question]));
  const results = [baseline, other].map(
    (run) => new Map(run.results.map((result) => [keyText(result), result])),
  );
  const samplesAfter = new Map(other.samples.map((sample) => [keyText(sample), sample]));
  return baseline.samples.flatMap((sample): ComparedQuestion[] => {
    const key = keyText(sample);
    const after = samplesAfter.get(key);
    if (after === undefined) return [];
    const flip = flipOf.get(key);
    const comparable =
      scoreOf(sample) !== null &&
      scoreOf(after) !== null &&
      scaleOfSample(sample) === scaleOfSample(after);
    return [
      {
        candidate: other.run,
        question: questionOf.get(sample.uuid) ?? '',
        before: { sample, result: results[0]?.get(key) ?? null },
        after: { sample: after, result: results[1]?.get(key) ?? null },
        change: flip?.direction ?? (comparable ? 'same' : 'not comparable'),
        because: flip?.because ?? null,
      },
    ];
  });
}

function comparedRow(baseline: string, row: ComparedQuestion, several: boolean): Markup {
  const { candidate, question, before, after, change, because } = row;
  const { uuid, epoch, item } = before.sample;
  const scores = [shownScore(before.sample), shownScore(after.sample)] as const;
  const difference =
    change === 'not comparable' || scores[0] === null || scores[1] === null
      ? null
      : Number((scores[1] - scores[0]).toFixed(6));
  const epochLabel = epoch > 1 ? markup` <span class="faint">epoch ${epoch}</span>` : null;
  const address = comparisonAddress(baseline, candidate, before.sample);
  return markup`<tr data-run="${candidate}" data-uuid="${uuid}" data-change="${change}" data-because="${because ?? ''}" data-tag="${item.tags.join('\n')}">${several ? markup`<td>${candidate}</td>` : null}<th scope="row" class="question"><a href="#${address}">${question}</a>${epochLabel}</th><td>${item.tags.join(', ')}</td><td class="answer">${preview(goldText(evaluatorOf(item)), answerShown)}</td>${[before, after].map(answerCell)}<td>${changeMark[change]} ${change}</td><td>${because}</td>${scores.map((score) => valueCell(score, score === null ? '–' : decimals(score)))}${valueCell(difference, difference === null ? '–' : signed(difference))}${[before, after].map(turnsCell)}</tr>
`;
}

const changeMark: Readonly<Record<ComparedQuestion['change'], string>> = {
  better: '▲',
  worse: '▼',
  same: '=',
  'not comparable': '–',
};

const answerCell = ({ result }: ComparedSide): Markup =>
  markup`<td class="answer">${result ? preview(result.answer ?? `(${result.outcome.kind})`, answerShown) : null}</td>`;

const turnsCell = ({ result }: ComparedSide): Markup =>
  valueCell(result?.turns ?? null, result ? grouped(result.turns) : '');
