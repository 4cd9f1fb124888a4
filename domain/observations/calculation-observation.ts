import { evaluateExpression } from '../python/expression.js';
import { str } from '../python/text.js';
import { failed, type Observed } from './tool-outcome.js';

/** Python's own limit on the digits of an int that becomes text. */
const longestInt = 4300;

/** What CalculateExpr tells the model: the value as Python's `str` has it, or why there is none (hybrid-agent.md §2.5). */
export function calculationObservation(expression: string): Observed {
  const evaluation = evaluateExpression(expression);
  if (evaluation.kind === 'error') return failed('expression', `[Error]: ${evaluation.message}`);
  const text = str(evaluation.value);
  if (text.match(/\d+/g)?.some((digits) => digits.length > longestInt)) {
    const message = `Exceeds the limit (${longestInt} digits) for integer string conversion`;
    return failed('expression', `[Error]: ${message}`);
  }
  const content = `The calculated result is: ${text}`;
  return { content, outcome: { kind: 'found', shown: 1, cut: false } };
}
