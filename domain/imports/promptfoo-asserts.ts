import { z } from 'zod';
import type { Evaluator } from '../questions/evaluator.js';

/** An assertion of promptfoo. */
export const assertSchema = z.looseObject({
  type: z.string().min(1),
  value: z.json().optional(),
});
export type Assert = z.infer<typeof assertSchema>;

export type AssertReading =
  | { readonly kind: 'evaluator'; readonly evaluator: Evaluator }
  /** In words, what of them nothing here is equal to. */
  | { readonly kind: 'strange'; readonly what: readonly string[] };

/** Keys that change nothing about what is right. */
const harmless = ['type', 'value', 'metric'];

/** The evaluator that finds right what the assertion passes; nothing here is equal to several. @param asserts - at least one */
export function evaluatorOfAsserts(asserts: readonly Assert[], question: string): AssertReading {
  const readings = asserts.map((assert) => evaluatorOfAssert(assert, question));
  const what = readings.flatMap((reading) => (typeof reading === 'string' ? [reading] : []));
  if (what.length > 0) return { kind: 'strange', what };
  const [first, ...others] = readings.flatMap((reading) =>
    typeof reading === 'string' ? [] : [reading],
  );
  if (first === undefined) return { kind: 'strange', what: ['no assertion'] };
  // A conjunction looks at one member of the answer for each of its parts.
  if (others.length > 0)
    return { kind: 'strange', what: [asserts.map(({ type }) => type).join(' and ') + ' together'] };
  return { kind: 'evaluator', evaluator: first };
}

/** In words why not, where nothing is equal to it. */
function evaluatorOfAssert(assert: Assert, question: string): Evaluator | string {
  const { type, value } = assert;
  const options = Object.keys(assert).filter((key) => !harmless.includes(key));
  if (options.length > 0) return `${type} with ${options.join(' and ')}`;
  if (typeof value === 'string' && /^(file|package):\/\//.test(value)) {
    return `${type} with a value from a file`;
  }
  const isNegated = type.startsWith('not-');
  const positive = evaluatorOfType(isNegated ? type.slice('not-'.length) : type, value, question);
  if (positive === null) return type;
  if (!isNegated) return positive;
  return { eval_func: 'eval_negation', eval_kwargs: { ...positive } };
}

function evaluatorOfType(type: string, value: Assert['value'], question: string): Evaluator | null {
  if (value === undefined) return null;
  switch (type) {
    case 'equals':
      return typeof value === 'object' && value !== null
        ? { eval_func: 'eval_structured_object_exact_match', eval_kwargs: { gold: value } }
        : { eval_func: 'eval_string_exact_match', eval_kwargs: { gold: textOf(value) } };
    case 'factuality':
    case 'model-graded-factuality':
      return {
        eval_func: 'eval_reference_answer_with_llm',
        eval_kwargs: { reference_answer: textOf(value), question },
      };
    default:
      return null;
  }
}

const textOf = (value: NonNullable<Assert['value']> | null): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
