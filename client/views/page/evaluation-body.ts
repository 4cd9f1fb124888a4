import type { Amount } from '../../../domain/budget/amount.js';
import type { EvaluationComparison, Evaluation } from '../../../domain/evaluations/evaluation.js';
import { evaluationSections, evaluationWords } from '../sections/evaluation.js';
import { sectionsPage, type MadePage } from './document.js';
import { type Markup } from './markup.js';

/** The content of the page of an evaluation. */
export interface EvaluationOnPage {
  readonly evaluation: Evaluation;
  readonly comparison: EvaluationComparison;
  readonly spent: Amount;
}

export function evaluationBody(
  { evaluation, comparison, spent }: EvaluationOnPage,
  made: MadePage,
): Markup {
  return sectionsPage({
    kind: 'turnwise evaluation',
    title: evaluation.name,
    sections: evaluationSections(comparison, [evaluationWords(evaluation, comparison, spent)]),
    made,
  });
}
