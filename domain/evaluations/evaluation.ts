import { methodNames } from '../agent/methods.js';
import { capSchema, add, capLeft, max, sum, type Cap, type Amount } from '../budget/amount.js';
import { cellRunId, type EvaluationName, type RunId } from '../ids.js';
import {
  comparePairs,
  type CandidateComparison,
  summaryOf,
  type ComparedRun,
  type ComparedRunSummary,
} from '../runs/compare-runs.js';
import { amountOfProbes } from '../runs/probes.js';
import { type CaseEstimate, type RunEstimate, estimateCases } from '../runs/run-estimate.js';
import type { RunManifest } from '../runs/run-manifest.js';
import type { EvaluationFile, FileFlaw } from './evaluation-file.js';

/** Which questions of a dataset are asked. */
type DatasetPart =
  | { readonly kind: 'all' }
  | { readonly kind: 'first'; readonly count: number }
  | { readonly kind: 'sample'; readonly count: number; readonly seed: number };

export interface EvaluatedDataset {
  readonly label: string;
  /** As the file has it. */
  readonly path: string;
  /** Null if it has none: not every method needs one. */
  readonly store: string | null;
  readonly part: DatasetPart;
}

interface EvaluatedModel extends Exclude<EvaluationFile['models'][number], string> {
  readonly label: string;
}

/** One run of an evaluation. */
export interface Cell {
  readonly run: RunId;
  readonly dataset: EvaluatedDataset;
  /** Of turnwise, or of a plugin of the file. */
  readonly method: string;
  readonly model: EvaluatedModel;
}

/** An evaluation file with nothing left open. */
export interface Evaluation {
  readonly name: EvaluationName;
  /** The cap on the cost of all its runs together. */
  readonly budget: Cap;
  readonly epochs: number;
  readonly file: EvaluationFile;
  /** In the order of the file: by dataset, method and model. At least one. */
  readonly cells: readonly Cell[];
}

export type EvaluationReading =
  | { readonly kind: 'evaluation'; readonly evaluation: Evaluation }
  | ({ readonly kind: 'problem' } & FileFlaw);

/**
 * Lists the cells of an evaluation, or says what keeps two of them from being told apart.
 * @param fileName - the evaluation is called so if its file says nothing else
 */
export function readEvaluation(file: EvaluationFile, fileName: EvaluationName): EvaluationReading {
  const name = file.name ?? fileName;
  for (const [index, entry] of file.datasets.entries()) {
    if (typeof entry === 'string') continue;
    const { limit, sample, seed } = entry;
    if (limit !== undefined && sample !== undefined) {
      return problem(['datasets', index, 'sample'], 'cannot be together with limit: choose one');
    }
    if (seed !== undefined && sample === undefined) {
      return problem(
        ['datasets', index, 'seed'],
        'needs a sample: it says which questions are drawn',
      );
    }
  }
  const strange = file.methods.findIndex((method) => !known.includes(method));
  if (file.plugins === undefined && strange >= 0) {
    return {
      ...problem(['methods', strange], `must be one of ${known.join(', ')}`),
      unknown: { word: file.methods[strange] ?? '', known },
    };
  }
  const datasets = file.datasets.map((entry) => datasetOf(entry, file.store ?? null));
  const models = file.models.map(modelOf);
  const doubled =
    firstDoubled(
      'datasets',
      datasets.map(({ label }) => label),
    ) ??
    firstDoubled('methods', file.methods) ??
    firstDoubled(
      'models',
      models.map(({ label }) => label),
    );
  if (doubled) return doubled;
  const cells = datasets.flatMap((dataset) =>
    file.methods.flatMap((method) =>
      models.map((model): Cell => {
        const parts = { dataset: dataset.label, method, model: model.label };
        return { run: cellRunId(name, parts), dataset, method, model };
      }),
    ),
  );
  const named = new Map<string, Cell>();
  for (const cell of cells) {
    // Some file systems take both for one.
    const key = cell.run.toLowerCase();
    const other = named.get(key);
    if (other) {
      return problem(
        cell.model === other.model ? ['datasets'] : ['models'],
        `would give two runs the name ${cell.run} (${cellText(other)}; ${cellText(cell)}): give one of them another \`label\``,
      );
    }
    named.set(key, cell);
  }
  const budget = { usd: file.budget?.usd ?? null, tokens: file.budget?.tokens ?? null };
  return {
    kind: 'evaluation',
    evaluation: { name, budget: capSchema.parse(budget), epochs: file.epochs ?? 1, file, cells },
  };
}

const known: readonly string[] = methodNames;

const problem = (
  path: readonly PropertyKey[],
  message: string,
): { readonly kind: 'problem' } & FileFlaw => ({
  kind: 'problem',
  path,
  message,
});

/** `questions by trivial_question_only with gpt-4o-mini`. */
export const cellText = ({ dataset, method, model }: Omit<Cell, 'run'>): string =>
  `${dataset.label} by ${method} with ${model.label}`;

function firstDoubled(section: string, names: readonly string[]): EvaluationReading | null {
  const index = names.findIndex((name, at) => names.indexOf(name) !== at);
  if (index === -1) return null;
  const remedy = section === 'methods' ? 'name it once' : 'give one of them another `label`';
  return problem([section, index], `is ${names[index] ?? ''} once more: ${remedy}`);
}

function datasetOf(
  entry: EvaluationFile['datasets'][number],
  usualStore: string | null,
): EvaluatedDataset {
  if (typeof entry === 'string') {
    return { label: baseName(entry), path: entry, store: usualStore, part: { kind: 'all' } };
  }
  const { path, label = baseName(path), store = usualStore, limit, sample, seed = 1 } = entry;
  const part: DatasetPart =
    sample !== undefined
      ? { kind: 'sample', count: sample, seed }
      : limit !== undefined
        ? { kind: 'first', count: limit }
        : { kind: 'all' };
  return { label, path, store, part };
}

const modelOf = (entry: EvaluationFile['models'][number]): EvaluatedModel =>
  typeof entry === 'string'
    ? { name: entry, label: entry }
    : { ...entry, label: entry.label ?? entry.name };

/** `questions` of `data/questions.jsonl`. */
const baseName = (path: string): string =>
  path.replace(/^.*[/\\]/, '').replace(/(?<=.)\.[^.]*$/, '');

/** What a cell may spend, or the amount that the others have spent where they leave nothing. */
type CellBudget =
  { readonly kind: 'cap'; readonly cap: Cap } | { readonly kind: 'spent'; readonly spent: Amount };

/**
 * The cap of one cell while no other cell can spend anything: what the others leave of the evaluation's budget. So the sum
 * over all cells stays within it.
 */
export function cellBudget(total: Cap, others: readonly Amount[]): CellBudget {
  const spent = sum(others);
  const left = capLeft(total, spent);
  if (left.usd === 0 || left.tokens === 0) return { kind: 'spent', spent };
  return { kind: 'cap', cap: { ...left, tokens: left.tokens && Math.floor(left.tokens) } };
}

/** What a run that is not under way has taken of a budget, its probes and judges included. */
export function spentByRun({
  spent,
  totals,
  probes,
}: Pick<RunManifest, 'spent' | 'totals' | 'probes'>): Amount {
  const counted = totals && {
    usd: totals.cost.usd + totals.judged.cost.usd,
    tokens: [totals.usage, totals.judged.usage].reduce(
      (all, { promptTokens, completionTokens }) => all + promptTokens + completionTokens,
      0,
    ),
  };
  const known = add(counted ?? { usd: 0, tokens: 0 }, amountOfProbes(probes));
  // Without a budget a run keeps no ledger, and with one the ledger knows of calls whose reply was lost.
  return spent === undefined ? known : max(spent, known);
}

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

/** The estimate of runs that are made one after the other. A sum with an unknown part is unknown. */
export function sumOfEstimates(estimates: readonly RunEstimate[]): RunEstimate {
  const sums = estimateCases.map(
    (name) => [name, estimates.map((each) => each[name]).reduce(addCase, nothing)] as const,
  );
  // There is one entry for each case.
  return Object.fromEntries(sums) as RunEstimate;
}

const nothing: CaseEstimate = { calls: 0, promptTokens: 0, completionTokens: 0, usd: 0, ms: 0 };

const addCase = (a: CaseEstimate, b: CaseEstimate): CaseEstimate => ({
  calls: a.calls + b.calls,
  promptTokens: a.promptTokens + b.promptTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  usd: a.usd === null || b.usd === null ? null : a.usd + b.usd,
  ms: a.ms === null || b.ms === null ? null : a.ms + b.ms,
});
