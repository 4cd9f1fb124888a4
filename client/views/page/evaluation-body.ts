import { instantText } from '../../../domain/formats/text.js';
import type { Amount } from '../../../domain/budget/amount.js';
import type { EvaluationComparison } from '../../../domain/evaluations/compare-cells.js';
import type { Evaluation } from '../../../domain/evaluations/evaluation.js';
import { evaluationSections, evaluationWords } from '../sections/evaluation.js';
import { sectionsPage } from './document.js';
import { type Markup } from './markup.js';
import { questionsTable } from './questions-table.js';
import type { ReportedRun } from '../../runs/reported-run.js';

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
  return sectionsPage({
    kind: `turnwise evaluation, made ${instantText(madeAt)}`,
    title: evaluation.name,
    sections: evaluationSections(comparison, [evaluationWords(evaluation, comparison, spent)]),
    remarks,
    questions: questionsTable(runs),
  });
}
