import type { Amount, Cap } from '../../../domain/budget/amount.js';
import type {
  CellDifference,
  CellSummary,
  EvaluationComparison,
  NamedCell,
  Evaluation,
} from '../../../domain/evaluations/evaluation.js';
import { countText, counted, decimals, grouped, said } from '../../../domain/formats/text.js';
import { costText, dollars } from '../../../domain/models/usage.js';
import { scaleLabels } from '../../../domain/scoring/verdict.js';
import { differenceCells, pCell, verdictCell } from './comparison.js';
import { meanCells, meanHeads } from './ledger.js';
import { figuresOf, section, type Row, type Section } from './section.js';

/** `trivial_question_only with gpt-4o`. */
const cellName = ({ method, model }: NamedCell): string => `${method} with ${model.label}`;

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

/**
 * The scores of its cells, and the differences of every two cells of one dataset.
 * @param words - what it is and took, where that is known
 */
export const evaluationSections = (
  { cells, differences, remarks }: EvaluationComparison,
  words: readonly string[],
): readonly Section[] => [
  section('scores', 'Scores', {
    words,
    tables: [
      figuresOf(
        'Each run over all of its questions',
        ['dataset', 'method', 'model', ...meanHeads, 'turns', 'cost', 'ended'],
        cells.flatMap(cellRows),
        3,
      ),
    ],
  }),
  ...(differences.length === 0 ? [] : [differencesSection(differences, remarks)]),
];

const differencesSection = (
  differences: readonly CellDifference[],
  remarks: readonly string[],
): Section =>
  section('differences', 'Differences', {
    notes: [
      `differences over the questions with a score in both; p-values are corrected for ${counted(differences.length, 'comparison')}, by Holm's procedure`,
      remarks,
    ],
    tables: [
      figuresOf(
        'Every two runs of a dataset',
        [
          ...['dataset', 'run', 'against', 'verdict'],
          ...['questions', 'difference', '95 % between', 'p'],
        ],
        differences.map(differenceRow),
        4,
      ),
    ],
  });

/** What it is, and what it took. */
export const evaluationWords = (
  { name, budget }: Pick<Evaluation, 'name' | 'budget'>,
  { cells }: Pick<EvaluationComparison, 'cells'>,
  spent: Amount,
): string =>
  `evaluation ${name}: ${counted(cells.length, 'run')}, ${spentText(spent, budget)} spent`;

const cellRows = ({
  cell,
  headlines,
  meanTurns,
  cost,
  ended,
  samples,
}: CellSummary): readonly Row[] =>
  headlines.map((headline) => [
    `${cell.dataset.label}${scaleLabels[headline.scale]}`,
    cell.method,
    cell.model.label,
    ...meanCells(headline),
    decimals(meanTurns, 1),
    costText(cost),
    `${grouped(ended)} of ${grouped(samples)}`,
  ]);

const differenceRow = ({ cell, against, comparison }: CellDifference): Row => [
  `${cell.dataset.label}${scaleLabels[comparison.scale]}`,
  cellName(cell),
  cellName(against),
  verdictCell(comparison),
  comparison.difference?.questions ?? 0,
  ...differenceCells(comparison.difference),
  pCell(comparison.adjustedP),
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
