import { methodNames } from '../agent/methods.js';
import { capSchema, type Cap } from '../budget/amount.js';
import { cellRunId, type EvaluationName, type RunId } from '../ids.js';
import type { EvaluationFile, FileFlaw } from './evaluation-file.js';

/** Which questions of a dataset are asked. */
export type DatasetPart =
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

export interface EvaluatedModel extends Exclude<EvaluationFile['models'][number], string> {
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
