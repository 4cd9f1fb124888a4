import { describe, expect, it } from 'vitest';
import { evaluationSections, evaluationWords } from '../../../client/views/sections/evaluation.js';
import { sectionText } from '../../support/commands/section-text.js';
import { noCap } from '../../../domain/budget/amount.js';
import {
  compareCells,
  readEvaluation,
  sumOfEstimates,
  type ComparedCell,
} from '../../../domain/evaluations/evaluation.js';
import { evaluationFileSchema } from '../../../domain/evaluations/evaluation-file.js';
import { evaluationNameSchema } from '../../../domain/ids.js';
import type { RunEstimate } from '../../../domain/runs/run-estimate.js';
import { mcnemarExact } from '../../../domain/statistics/intervals.js';
import { comparedRun } from '../../support/runs/compared-run.js';
import { runAnswer } from '../../support/runs/run-answer.js';

function evaluation() {
  const file = { datasets: ['a.jsonl', 'b.jsonl'], methods: ['classic_rag'], models: ['m', 'n'] };
  const reading = readEvaluation(
    evaluationFileSchema.parse({ ...file, budget: { usd: 2 } }),
    evaluationNameSchema.parse('e'),
  );
  if (reading.kind === 'problem') throw new Error(reading.message);
  return reading.evaluation;
}

/** 30 questions, of which the first ones are answered wrongly. */
const withWrong = (cell: ComparedCell['cell'], wrong: number): ComparedCell => ({
  cell,
  compared: comparedRun(
    cell.run,
    Array.from({ length: 30 }, (_, index) =>
      runAnswer({ uuid: `${cell.dataset.label}${index}`, verdict: index < wrong ? 0 : 1 }),
    ),
  ),
});

describe('compareCells', () => {
  const { cells } = evaluation();
  const compared = cells.map((cell, index) => withWrong(cell, [0, 8, 10, 10][index] ?? 0));
  const { cells: summaries, differences } = compareCells(compared);

  it('compares every two cells of one dataset, and none of two datasets', () => {
    expect(differences.map(({ cell, against }) => [cell.run, against.run])).toEqual([
      ['e-a-classic_rag-n', 'e-a-classic_rag-m'],
      ['e-b-classic_rag-n', 'e-b-classic_rag-m'],
    ]);
    expect(summaries.map(({ cell, samples, ended }) => [cell.run, samples, ended])).toEqual(
      cells.map(({ run }) => [run, 30, 30]),
    );
  });

  it('corrects the p-values for all comparisons of the evaluation', () => {
    const p = mcnemarExact(0, 8);
    expect(differences[0]?.comparison).toMatchObject({
      verdict: 'worse',
      difference: { p },
      adjustedP: 2 * p,
    });
    expect(differences[1]?.comparison).toMatchObject({ verdict: 'not-decisive', adjustedP: 1 });
  });

  it('is told in one table of cells and one of differences', () => {
    const spent = { usd: 0.5, tokens: 1000 };
    const textOf = (of: ReturnType<typeof evaluation>, shown: typeof compared): string => {
      const comparison = compareCells(shown);
      const words = evaluationWords(of, comparison, spent);
      return sectionText(...evaluationSections(comparison, [words]));
    };
    expect(textOf(evaluation(), compared)).toMatchInlineSnapshot(`
      "evaluation e: 4 runs, $0.50 of $2.00 spent

      dataset  method       model  score  95 % between   scored  of  turns  cost   ended
      a        classic_rag  m      1.000  0.886 – 1.000  30      30  4.0    $0.30  30 of 30
      a        classic_rag  n      0.733  0.556 – 0.858  30      30  4.0    $0.30  30 of 30
      b        classic_rag  m      0.667  0.488 – 0.808  30      30  4.0    $0.30  30 of 30
      b        classic_rag  n      0.667  0.488 – 0.808  30      30  4.0    $0.30  30 of 30
      note: differences over the questions with a score in both; p-values are corrected for 2 comparisons, by Holm's procedure

      dataset  run                 against             verdict       questions  difference  95 % between     p
      a        classic_rag with n  classic_rag with m  worse         30         −0.267      −0.435 – −0.099  0.016
      b        classic_rag with n  classic_rag with m  not decisive  30         0.000       −0.116 – +0.116  1.000"
    `);
    const unlimited = { ...evaluation(), budget: noCap };
    expect(textOf(unlimited, compared.slice(0, 1))).toMatch(
      /^evaluation e: 1 run, \$0\.50 and 1,000 tokens spent\n\n.*\na .*$/,
    );
  });
});

describe('sumOfEstimates', () => {
  const each = { calls: 2, promptTokens: 10, completionTokens: 5, usd: 0.5, ms: 100 };
  const estimate: RunEstimate = { low: each, likely: each, high: { ...each, ms: null } };

  it('adds up runs that are made one after the other, and what is unknown stays so', () => {
    const sum = { calls: 4, promptTokens: 20, completionTokens: 10, usd: 1, ms: 200 };
    expect(sumOfEstimates([estimate, estimate])).toEqual({
      low: sum,
      likely: sum,
      high: { ...sum, ms: null },
    });
  });
});
