import type { RunComparison } from '../../../domain/runs/compare-runs.js';
import { comparisonSections, runsOf } from '../sections/comparison.js';
import { sectionsPage, type MadePage } from './document.js';
import { type Markup } from './markup.js';

export function comparisonBody(comparison: RunComparison, made: MadePage): Markup {
  const { baseline } = comparison;
  return sectionsPage({
    kind: 'turnwise comparison',
    title: `${runsOf(comparison)
      .slice(1)
      .map(({ run }) => run)
      .join(', ')} against ${baseline.run}`,
    sections: comparisonSections(comparison),
    made,
  });
}
