import { toFloat } from '../match-number.js';
import { matched, unmatched, type ExecutionMatch } from './result-comparison.js';

/** A value that an answer must contain as `@name[value]`. */
export type DabenchLabel = readonly [name: string, value: string];

const tolerance = 1e-6;

/** InfiAgent-DABench: the last `@name[value]` of each name has the text of the gold, or a number within a millionth of it. */
export function dabenchMatch(answer: string, gold: readonly DabenchLabel[]): ExecutionMatch {
  // DABench asks of no empty answer whether it is right.
  if (answer === '') return unmatched('The answer is empty.');
  const values = new Map(
    [...answer.matchAll(/@([\p{L}\p{N}_]+)\[([^\n]*?)\]/gu)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
  const wrong = [...new Map(gold)].find(([name, value]) => !valuesEqual(values.get(name), value));
  if (!wrong) return matched;
  const given = values.get(wrong[0]);
  return unmatched(`@${wrong[0]} is ${given === undefined ? 'missing' : given}, not ${wrong[1]}.`);
}

function valuesEqual(given: string | undefined, expected: string): boolean {
  if (given === undefined) return false;
  if (given === expected) return true;
  const [a, b] = [given, expected].map((text) => toFloat({ kind: 'str', value: text }));
  return typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) < tolerance;
}
