import {
  comparePairs,
  type CandidateComparison,
  summaryOf,
  type ComparedRun,
  type ComparedRunSummary,
} from '../runs/compare-runs.js';
import type { RunId } from '../ids.js';
import type { Cell } from './evaluation.js';

/** A cell by the names of what it is about. A `Cell` is one. */
export interface NamedCell {
  readonly run: RunId;
  readonly dataset: Pick<Cell['dataset'], 'label'>;
  readonly method: string;
  readonly model: Pick<Cell['model'], 'label'>;
}

/** A cell with what its run has come to so far. */
export interface ComparedCell {
  readonly cell: NamedCell;
  readonly compared: ComparedRun;
}

export interface CellSummary extends Omit<ComparedRunSummary, 'run'> {
  readonly cell: NamedCell;
  /** The number of its questions, each counted once for every epoch. */
  readonly samples: number;
  readonly isDone: boolean;
}

/** Two cells of one dataset: `cell` is set against `against`. */
export interface CellDifference {
  readonly cell: NamedCell;
  readonly against: NamedCell;
  readonly comparison: CandidateComparison;
}

export interface EvaluationComparison {
  readonly cells: readonly CellSummary[];
  /** Of every two cells of one dataset. The p-values are corrected for all of them together. */
  readonly differences: readonly CellDifference[];
  /** What makes the runs less comparable. */
  readonly remarks: readonly string[];
}

export function compareCells(cells: readonly ComparedCell[]): EvaluationComparison {
  const pairs = cells.flatMap((first, index) =>
    cells
      .slice(index + 1)
      .filter(({ cell }) => cell.dataset.label === first.cell.dataset.label)
      .map((second) => ({
        first: first.cell,
        second: second.cell,
        baseline: first.compared,
        candidate: second.compared,
      })),
  );
  const compared = comparePairs(pairs);
  return {
    cells: cells.map(({ cell, compared }) => ({
      ...summaryOf(compared),
      cell,
      samples: compared.answers.length,
      isDone: compared.ended,
    })),
    differences: compared.map(({ pair, comparison }) => ({
      cell: pair.second,
      against: pair.first,
      comparison,
    })),
    remarks: [...new Set(compared.flatMap(({ comparison }) => comparison.remarks))],
  };
}
