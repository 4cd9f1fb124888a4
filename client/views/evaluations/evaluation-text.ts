import type { Amount, Cap } from '../../../domain/budget/amount.js';
import type {
  CellDifference,
  CellSummary,
  EvaluationComparison,
  NamedCell,
} from '../../../domain/evaluations/compare-cells.js';
import type { Evaluation } from '../../../domain/evaluations/evaluation.js';
import { countText, counted, decimals, joined, said } from '../../../domain/formats/text.js';
import { costText, dollars } from '../../../domain/models/usage.js';
import { scaleLabels } from '../../../domain/scoring/scale.js';
import { differenceCells, pText, verdictCell } from '../comparison-text.js';
import { meanCells, meanHeads, table, type Row } from '../terminal.js';

/** `trivial_question_only with gpt-4o`. */
export const cellName = ({ method, model }: NamedCell): string => `${method} with ${model.label}`;

/** `$0.12 of $1.00 and 12k of 1.0M tokens`; without a budget what is known. */
export function spentText(spent: Amount, { usd, tokens }: Cap): string {
  const parts = said([
    usd !== null && `${dollars(spent.usd)} of ${dollars(usd)}`,
    tokens !== null && `${countText(spent.tokens)} of ${countText(tokens)} tokens`,
  ]);
  return parts.length === 0
    ? `${dollars(spent.usd)} and ${countText(spent.tokens)} tokens`
    : parts.join(' and ');
}

/** The result of an evaluation: a line for each cell, and one for every two cells of one dataset. */
export const evaluationText = (
  { name, budget }: Evaluation,
  { cells, differences, remarks }: EvaluationComparison,
  spent: Amount,
): string =>
  joined(
    '\n',
    `evaluation ${name}: ${counted(cells.length, 'run')}, ${spentText(spent, budget)} spent`,
    table(
      ['dataset', 'method', 'model', ...meanHeads, 'turns', 'cost', ''],
      cells.flatMap(cellRows),
    ),
    differences.length > 0 && [
      '',
      table(
        ['dataset', 'run', 'against', 'questions', 'difference', '95 % between', 'p', ''],
        differences.map(differenceRow),
      ),
      correctionNote(differences),
      remarks.map((remark) => `note: ${remark}`),
    ],
  );

export const correctionNote = (differences: readonly CellDifference[]): string =>
  `differences over the questions with a score in both; p-values are corrected for ${counted(differences.length, 'comparison')}, by Holm's procedure`;

const cellRows = ({ cell, headlines, meanTurns, cost, ...of }: CellSummary): readonly Row[] =>
  headlines.map((headline) => [
    `${cell.dataset.label}${scaleLabels[headline.scale]}`,
    cell.method,
    cell.model.label,
    ...meanCells(headline),
    decimals(meanTurns, 1),
    costText(cost),
    of.isDone ? '' : `${of.ended} of ${of.samples} ended`,
  ]);

const differenceRow = ({ cell, against, comparison }: CellDifference): Row => [
  `${cell.dataset.label}${scaleLabels[comparison.scale]}`,
  cellName(cell),
  cellName(against),
  comparison.difference?.questions ?? 0,
  ...differenceCells(comparison.difference),
  comparison.adjustedP === null ? '–' : pText(comparison.adjustedP),
  verdictCell(comparison),
];

/** The result as one JSON document. */
export const evaluationJson = (
  { name, budget, epochs }: Evaluation,
  { cells, differences, remarks }: EvaluationComparison,
  spent: Amount,
): object => ({
  evaluation: name,
  epochs,
  budget,
  spent,
  cells: cells.map(({ cell: { run, dataset, method, model }, ...summary }) => ({
    run,
    dataset: dataset.label,
    method,
    model: model.label,
    ...summary,
  })),
  differences: differences.map(({ cell, against, comparison: { summary, ...comparison } }) => ({
    dataset: cell.dataset.label,
    run: summary.run,
    against: against.run,
    ...comparison,
  })),
  remarks,
});
