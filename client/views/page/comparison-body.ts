import { instantText } from '../../../domain/formats/text.js';
import type { RunComparison } from '../../../domain/runs/compare-runs.js';
import { comparisonSections, runsOf } from '../sections/comparison.js';
import { comparedQuestions } from './compared-questions.js';
import { sectionsPage } from './document.js';
import { type Markup } from './markup.js';
import type { ReportedRun } from '../../runs/reported-run.js';

/**
 * @param runs - the baseline, then the others in the order of the comparison
 * @param madeAt - ISO 8601
 * @param remarks - notes about what the page leaves out
 */
export function comparisonBody(
  comparison: RunComparison,
  runs: readonly ReportedRun[],
  { madeAt, remarks }: { readonly madeAt: string; readonly remarks: readonly string[] },
): Markup {
  const { baseline } = comparison;
  return sectionsPage({
    kind: `turnwise comparison, made ${instantText(madeAt)}`,
    title: `${runsOf(comparison)
      .slice(1)
      .map(({ run }) => run)
      .join(', ')} against ${baseline.run}`,
    sections: comparisonSections(comparison),
    remarks,
    questions: comparedQuestions(comparison, runs),
  });
}
