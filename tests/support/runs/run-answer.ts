import type { OutcomeKind } from '../../../domain/agent/question-result.js';
import type { GoldItem, RunAnswer } from '../../../domain/scoring/answer.js';
import { datasetItemSchema, evaluatorOf } from '../../../domain/scoring/dataset-item.js';
import { scorerName } from '../../../domain/scoring/execution-match/execution-options.js';
import type { Verdict } from '../../../domain/scoring/verdict.js';
import { exampleEnd, sampleKey } from './example-records.js';

interface AnswerOfTest {
  readonly uuid: string;
  readonly epoch?: number;
  /** Null where the question has not ended. */
  readonly verdict: number | Extract<Verdict, { kind: 'unscored' }>['reason'] | null;
  readonly outcome?: OutcomeKind;
  readonly paper?: string;
  readonly item?: Partial<GoldItem>;
}

/** An answer as a run's files have it, to a question that names an evaluator. */
export function runAnswer(answer: AnswerOfTest): RunAnswer {
  const { uuid, epoch = 1, verdict: given, outcome: kind = 'answered', paper, item } = answer;
  const key = sampleKey(uuid, epoch);
  const asked = datasetItemSchema.parse({
    uuid,
    question: `What is ${uuid}?`,
    anchor_pdf: paper === undefined ? [] : [paper],
    evaluator: { eval_func: 'eval_bool_exact_match', eval_kwargs: { gold: true } },
    ...item,
  });
  if (given === null) return { ...key, item: asked, result: null, score: null };
  const verdict: Verdict =
    typeof given === 'number'
      ? { kind: 'scored', score: given }
      : { kind: 'unscored', reason: given };
  const { result, score } = exampleEnd(key);
  return {
    ...key,
    item: asked,
    // The statistics read no more of an outcome than its kind.
    result: { ...result, outcome: { kind } as typeof result.outcome },
    score: {
      ...score,
      score: typeof given === 'number' ? given : null,
      verdict,
      scorer: given === 'no-evaluator' ? null : scorerName(evaluatorOf(asked)),
    },
  };
}
