import type { GoldItem, ScoredSample } from '../../../domain/scoring/scored-sample.js';
import type { OutcomeKind } from '../../../domain/agent/question-result.js';
import type { Verdict } from '../../../domain/scoring/verdict.js';
import { sampleKey } from './example-records.js';

interface SampleOfTest {
  readonly uuid: string;
  readonly epoch?: number;
  /** Null where the question has not ended. */
  readonly verdict: number | Extract<Verdict, { kind: 'unscored' }>['reason'] | null;
  readonly outcome?: OutcomeKind;
  readonly paper?: string;
  readonly item?: Partial<GoldItem>;
}

/** A sample as a run's files have it, of a question that names an evaluator. */
export function scoredSample(sample: SampleOfTest): ScoredSample {
  const { uuid, epoch = 1, verdict, outcome = 'answered', paper, item } = sample;
  const key = sampleKey(uuid, epoch);
  return {
    ...key,
    item: {
      uuid: key.uuid,
      tags: [],
      anchor_pdf: paper === undefined ? [] : [paper],
      evaluator: { eval_func: 'eval_bool_exact_match', eval_kwargs: { gold: true } },
      ...item,
    },
    outcome: verdict === null ? null : outcome,
    verdict:
      verdict === null
        ? null
        : typeof verdict === 'number'
          ? { kind: 'scored', score: verdict }
          : { kind: 'unscored', reason: verdict },
  };
}
