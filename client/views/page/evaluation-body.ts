import type { Amount } from '../../../domain/budget/amount.js';
import type {
  CellDifference,
  CellSummary,
  EvaluationComparison,
} from '../../../domain/evaluations/compare-cells.js';
import type { Evaluation } from '../../../domain/evaluations/evaluation.js';
import { grouped } from '../../../domain/formats/text.js';
import { costText } from '../../../domain/models/usage.js';
import { scaleLabels } from '../../../domain/scoring/scale.js';
import { pText, signed, verdictCell } from '../comparison-text.js';
import { cellName, correctionNote, spentText } from '../evaluations/evaluation-text.js';
import { pageFrame } from './document.js';
import {
  columnHead,
  figuresTable,
  instantText,
  markup,
  numberCell,
  numberHead,
  rowHead,
  type Markup,
} from './markup.js';
import { questionsTable } from './questions-table.js';
import type { ReportedRun } from './reported-run.js';
import { headlineCells } from './score-sections.js';

/** The content of the page of an evaluation. */
export interface EvaluationOnPage {
  readonly evaluation: Evaluation;
  readonly comparison: EvaluationComparison;
  readonly spent: Amount;
}

/**
 * @param runs - those of the cells
 * @param madeAt - ISO 8601
 * @param remarks - notes about what the page leaves out
 */
export function evaluationBody(
  { evaluation, comparison, spent }: EvaluationOnPage,
  runs: readonly ReportedRun[],
  { madeAt, remarks }: { readonly madeAt: string; readonly remarks: readonly string[] },
): Markup {
  const { name, budget } = evaluation;
  return pageFrame({
    kind: `turnwise evaluation, made ${instantText(madeAt)}`,
    title: name,
    links: [
      { id: 'scores', name: 'Scores' },
      ...(comparison.differences.length === 0 ? [] : [{ id: 'differences', name: 'Differences' }]),
    ],
    content: evaluationSections(
      comparison,
      `${spentText(spent, budget)} spent by all runs of the evaluation.`,
    ),
    remarks,
    questions: questionsTable(runs),
  });
}

/** Its scores and differences. @param note - below the first heading */
export function evaluationSections(
  { cells, differences, remarks }: EvaluationComparison,
  note?: string,
): Markup {
  const datasets = [...new Set(cells.map(({ cell }) => cell.dataset.label))];
  return markup`<section aria-labelledby="scores"><h2 id="scores">Scores</h2>
${note === undefined ? null : markup`<p class="note">${note}</p>\n`}${datasets.map((dataset) => {
    const own = cells.filter(({ cell }) => cell.dataset.label === dataset);
    return cellsTable(dataset, own);
  })}</section>
${
  differences.length === 0
    ? null
    : markup`<section aria-labelledby="differences"><h2 id="differences">Differences</h2>
<p class="note">${correctionNote(differences)}</p>
${remarks.map((remark) => markup`<p class="note">${remark}</p>\n`)}${datasets.map((dataset) => {
        const own = differences.filter(({ cell }) => cell.dataset.label === dataset);
        return own.length === 0 ? null : differencesTable(dataset, own);
      })}</section>
`
}`;
}

const cellsTable = (dataset: string, cells: readonly CellSummary[]): Markup =>
  figuresTable({
    caption: dataset,
    names: ['method', 'model'],
    numbers: ['score', '95 % between', 'scored', 'of', 'turns', 'cost', 'ended'],
    rows: cells.flatMap(({ cell, headlines, meanTurns, cost, ended, samples }) =>
      headlines.map((headline) => [
        `${cell.method}${scaleLabels[headline.scale]}`,
        cell.model.label,
        ...headlineCells(headline),
        meanTurns?.toFixed(1) ?? '–',
        costText(cost),
        `${grouped(ended)} of ${grouped(samples)}`,
      ]),
    ),
  });

function differencesTable(dataset: string, differences: readonly CellDifference[]): Markup {
  const heads = ['questions', 'difference', '95 % between', 'p'];
  return markup`<table class="small"><caption>${dataset}</caption>
<thead><tr>${columnHead('run')}${columnHead('against')}${heads.map(numberHead)}${columnHead('verdict')}</tr></thead>
<tbody>${differences.map(({ cell, against, comparison }) => {
    const { difference, adjustedP, scale } = comparison;
    const values = [
      difference ? grouped(difference.questions) : '0',
      difference ? signed(difference.mean) : '–',
      difference && `${signed(difference.interval.low)} – ${signed(difference.interval.high)}`,
      adjustedP === null ? '–' : pText(adjustedP),
    ];
    return markup`<tr>${rowHead(`${cellName(cell)}${scaleLabels[scale]}`)}<td>${cellName(against)}</td>${values.map(numberCell)}<td>${verdictCell(comparison)}</td></tr>`;
  })}</tbody></table>
`;
}
