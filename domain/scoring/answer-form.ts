import { answerText } from '../agent/actions/action.js';
import { answerFormError, parseErrorKind } from '../agent/actions/parse-error.js';
import type { FinishedTurn, ReplyRecord } from '../agent/turn-record.js';
import { pythonFromJson } from '../formats/python/value.js';
import type { Evaluator } from './dataset-item.js';
import { toFloat, toInt, truthOf } from './match-number.js';
import { readDict, readItems } from './scorers.js';

type Reading = ReplyRecord['reading'];

/**
 * A reply as it is read, or an error in its place where it answers in a form that the evaluator can never accept, whatever the
 * answer says. The model is told so once: no later answer is refused.
 * @param turns - all before it
 */
export function withFormChecked(
  reading: Reading,
  turns: readonly FinishedTurn[],
  evaluator: Evaluator | undefined,
): Reading {
  if (reading.kind !== 'action' || reading.calls !== undefined) return reading;
  if (reading.action.kind !== 'GenerateAnswer' || evaluator === undefined) return reading;
  const wasTold = turns.some(
    ({ reply: { reading: told } }) =>
      told.kind === 'error' && parseErrorKind(told.error) === 'answer-form',
  );
  const form = wasTold ? null : formLacking(answerText(reading.action), evaluator);
  return form === null ? reading : { kind: 'error', error: answerFormError(form) };
}

/** The form that an answer would need, where it cannot be read as one; null where it can, or none is needed. */
export function formLacking(
  answer: string,
  { eval_func: name, eval_kwargs: options }: Evaluator,
): string | null {
  // Who abstains says nothing in any form.
  if (answer.trim() === '') return null;
  const given = { kind: 'str', value: answer } as const;
  switch (name) {
    case 'eval_int_exact_match':
      return toInt(given) === null ? 'an integer' : null;
    case 'eval_float_exact_match':
      return toFloat(given) === null ? 'a number' : null;
    case 'eval_bool_exact_match':
      return truthOf(given) === null ? 'true or false' : null;
    case 'eval_structured_object_exact_match':
    case 'eval_conjunction':
    case 'eval_disjunction': {
      const gold = options['gold'] ?? options['eval_func_list'];
      // A text that is no list is a list of one for evaluators.
      if (Array.isArray(gold))
        return gold.length !== 1 && readItems(given) === null ? 'a list' : null;
      const isObject = pythonFromJson(gold ?? null).kind === 'dict';
      return isObject && readDict(given, 'default') === null ? 'an object' : null;
    }
    default:
      return null;
  }
}
