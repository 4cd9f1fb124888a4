import type { Result } from '../../../domain/agent/question-result.js';
import { grouped, preview, shortDuration } from '../../../domain/formats/text.js';
import { keyText } from '../../../domain/ids.js';
import { dollars } from '../../../domain/models/usage.js';
import { evaluatorOf } from '../../../domain/scoring/dataset-item.js';
import {
  scaleOfSample,
  scoreOf,
  shownScore,
  verdictCountOf,
  type ScoredSample,
} from '../../../domain/scoring/scored-sample.js';
import { countsOf } from '../../../domain/statistics/means.js';
import { trajectoryAddress } from './document.js';
import { decimals, goldText, markup, sortHead, valueCell, type Markup } from './markup.js';
import type { ReportedRun } from './reported-run.js';

/** The most characters of an answer or gold in the table; the question's own view shows all. */
const answerShown = 120;

const texts = ['tags', 'answer', 'gold', 'outcome', 'verdict'];
const numbers = ['score', 'turns', 'tokens', 'cost', 'time'];

/** A table of all questions of all runs, with the form that filters it. */
export function questionsTable(runs: readonly ReportedRun[]): Markup {
  const samples = runs.flatMap((run) => run.samples);
  const several = runs.length > 1;
  return markup`${filterForm({
    run: several ? runs.flatMap(({ run, samples: own }) => own.map(() => run)) : [],
    outcome: samples.map(({ outcome }) => outcome ?? 'not-ended'),
    verdict: samples.map(verdictLabel),
    tag: samples.flatMap(({ item }) => [...new Set(item.tags)]),
  })}
<div class="wide"><table class="questions" id="questions-table">
<caption class="unseen">Every question with its answer, outcome and score</caption>
<thead><tr>${several ? sortHead('run', 'text') : null}${[sortHead('question', 'text'), ...texts.map((name) => sortHead(name, 'text')), ...numbers.map((name) => sortHead(name, 'number'))]}</tr></thead>
<tbody>
${runs.map((run) => runRows(run, several))}</tbody></table></div>`;
}

function runRows(reported: ReportedRun, several: boolean): readonly Markup[] {
  const { run, results, items } = reported;
  const resultOf = new Map(results.map((result) => [keyText(result), result]));
  const questionOf = new Map(items.map(({ uuid, question }) => [uuid, question]));
  return reported.samples.map((sample) => {
    const question = questionOf.get(sample.uuid) ?? '';
    const result = resultOf.get(keyText(sample)) ?? null;
    return questionRow({ run, several, sample, question, result });
  });
}

interface QuestionRow {
  readonly run: string;
  readonly several: boolean;
  readonly sample: ScoredSample;
  readonly question: string;
  readonly result: Result | null;
}

function questionRow({ run, several, sample, question, result }: QuestionRow): Markup {
  const { uuid, epoch, item, outcome } = sample;
  const verdict = verdictLabel(sample);
  const score = shownScore(sample);
  const epochLabel = epoch > 1 ? markup` <span class="faint">epoch ${epoch}</span>` : null;
  return markup`<tr data-run="${run}" data-uuid="${uuid}" data-outcome="${outcome ?? 'not-ended'}" data-verdict="${verdict}" data-tag="${item.tags.join('\n')}">${several ? markup`<td>${run}</td>` : null}<th scope="row" class="question"><a href="#${trajectoryAddress(run, sample)}">${question}</a>${epochLabel}</th><td>${item.tags.join(', ')}</td><td class="answer">${preview(result?.answer ?? '', answerShown)}</td><td class="answer">${preview(goldText(evaluatorOf(item)), answerShown)}</td><td>${outcome ?? 'not-ended'}</td><td class="verdict"><span aria-hidden="true">${verdictMark(verdict)}</span> ${verdict}</td>${valueCell(score, score === null ? '–' : decimals(score))}${result ? figureCells(result) : numbers.slice(1).map(() => valueCell(null, ''))}</tr>
`;
}

function figureCells({ turns, usage, costUsd, startedAt, endedAt }: Result): readonly Markup[] {
  const tokens = usage.promptTokens + usage.completionTokens;
  const ms = Date.parse(endedAt) - Date.parse(startedAt);
  return [
    valueCell(turns, grouped(turns)),
    valueCell(tokens, grouped(tokens)),
    valueCell(costUsd, costUsd === null ? '?' : dollars(costUsd)),
    valueCell(ms, shortDuration(ms)),
  ];
}

/**
 * The form above a table of questions: a text field, and a selection for each name. The page's script shows the form and
 * filters the rows by their attributes `data-NAME`.
 *
 * @param values - the values of all rows, with repetitions; a selection without values is left out
 */
export const filterForm = (values: Readonly<Record<string, readonly string[]>>): Markup =>
  markup`<form class="filter" role="search" aria-label="Questions" hidden>
<label>text <input type="search" name="text" placeholder="question, answer, id"></label>
${Object.entries(values).map(([name, each]) => selection(name, countsOf(each)))}<output aria-live="polite"></output>
<button type="reset">show all</button>
</form>`;

function selection(name: string, counts: ReadonlyMap<string, number>): Markup | null {
  if (counts.size === 0) return null;
  const options = [...counts].sort(([, a], [, b]) => b - a);
  return markup`<label>${name} <select name="${name}"><option value="">all</option>${options.map(
    ([value, count]) => markup`<option value="${value}">${value} (${grouped(count)})</option>`,
  )}</select></label>
`;
}

/** `right`, `partly right`, `wrong`, `graded` from 1 to 5, or the reason why the sample has no score. */
function verdictLabel(sample: ScoredSample): string {
  const score = scoreOf(sample);
  if (score === null) return verdictCountOf(sample);
  if (scaleOfSample(sample) === 'one-to-five') return 'graded';
  if (score === 1) return 'right';
  return score === 0 ? 'wrong' : 'partly right';
}

/** A mark that distinguishes verdicts without colour. */
function verdictMark(verdict: string): string {
  const marks: Readonly<Record<string, string>> = {
    right: '●',
    'partly right': '◐',
    graded: '◐',
    wrong: '○',
  };
  return marks[verdict] ?? '–';
}
