import { countTokensIn } from '../../models/request-tokens.js';
import type { SampleKey } from '../../ids.js';
import type { FinishedTurn } from '../turn-record.js';
import type { AnswerTrace, DatabaseMode, MeasuredText } from './answer-trace.js';
import { planText } from './messages.js';
import { queriesOf, stepsOf } from './prompts.js';

/**
 * The trace of an ended question.
 * @param answer - null if the question has none
 * @param model - the name that the provider returned, or the configured one
 */
export function answerTraceOf(
  { uuid, epoch }: SampleKey,
  method: DatabaseMode,
  model: string,
  turns: readonly FinishedTurn[],
  answer: string | null,
): AnswerTrace {
  const declared = stepsOf(turns).some(({ kind }) => kind === 'enough');
  return {
    uuid,
    epoch,
    method,
    model,
    stoppedBy: method === 'iterative' && !declared ? 'cap' : 'agent',
    tokenizer: 'o200k_base',
    plan: measured(planText(turns)),
    queries: queriesOf(turns),
    answer: measured(answer ?? ''),
  };
}

const measured = (text: string): MeasuredText => ({
  text,
  words: text.split(/\s+/).filter((word) => word !== '').length,
  tokens: countTokensIn('o200k_base', text),
});
