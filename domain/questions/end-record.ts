import { z } from 'zod';
import { costOfQuestion } from '../models/cost.js';
import type { EndedQuestion } from '../runs/run-totals.js';
import { resultSchema } from './result.js';
import { scoreSchema } from './score.js';

/** A question's end as it is stored: its line of `results.jsonl` and its line of `scores.jsonl`. */
export const endRecordSchema = z.object({ result: resultSchema, score: scoreSchema });
export type EndRecord = Readonly<z.infer<typeof endRecordSchema>>;

export const endedQuestion = ({ result, score }: EndRecord): EndedQuestion => ({
  outcome: result.outcome.kind,
  turns: result.turns,
  usage: result.usage,
  cost: costOfQuestion(result.costUsd, result.usage.calls),
  ...(score.judgeUsage && {
    judged: {
      usage: score.judgeUsage,
      cost: costOfQuestion(score.judgeCostUsd ?? null, score.judgeUsage.calls),
    },
  }),
  score: score.score,
});
