import { evaluatorProblems, unknownFunctions } from '../questions/evaluator.js';
import { datasetItemSchema } from '../questions/dataset-item.js';
import type { GoldItem } from '../reports/scored-sample.js';
import { doubled, readJsonLines } from './json-lines.js';

/** A dataset without need of its questions. */
const goldSchema = datasetItemSchema.partial({ question: true });

export interface Golds {
  readonly items: readonly GoldItem[];
  /** Why nothing can be scored by them, each naming its line. */
  readonly problems: readonly string[];
  /** Evaluators that give no score, or mean something else, each naming its line. */
  readonly warnings: readonly string[];
}

/**
 * Reads the items that answers are scored by. A function that does not exist is a problem of the file; one whose options
 * make no sense leaves its own answer unscored, since published datasets have some.
 */
export function readGolds(text: string): Golds {
  const { lines, problems } = readJsonLines(text, goldSchema);
  const evaluators = lines.flatMap(({ line, value: { evaluator } }) =>
    evaluator === undefined ? [] : [{ line, evaluator, unknown: unknownFunctions(evaluator) }],
  );
  return {
    items: lines.map(({ value }) => value),
    problems: [
      ...problems,
      ...doubled(lines, ({ uuid }) => `uuid ${uuid}`),
      ...evaluators.flatMap(({ line, unknown }) =>
        unknown.map((name) => `line ${line}: the evaluation function ${name} is unknown`),
      ),
      ...(lines.length === 0 && problems.length === 0 ? ['it holds no items'] : []),
    ],
    warnings: evaluators
      .filter(({ unknown }) => unknown.length === 0)
      .flatMap(({ line, evaluator }) =>
        evaluatorProblems(evaluator).map(({ message }) => `line ${line}: ${message}`),
      ),
  };
}
