import type { Evaluator } from '../questions/evaluator.js';
import type { ModelConfig } from '../models/model-config.js';
import type { Finding } from '../scoring/finding.js';
import { judgeAnswer } from '../scoring/score-answer.js';
import type { Judge } from './judge.js';
import type { JudgeReply } from './judge-reply.js';

/** An answer before a judge. */
export interface Case {
  readonly answer: string;
  readonly evaluator: Evaluator;
  readonly strict: boolean;
}

/** What a judge's stored replies come to: a verdict, or what it has to be asked next. */
export const findingOf = (
  { answer, evaluator, strict }: Case,
  model: Pick<ModelConfig, 'structuredReplies'>,
  tries: number,
  replies: readonly JudgeReply[],
): Finding =>
  judgeAnswer({
    answer,
    evaluator,
    mode: strict ? 'strict' : 'default',
    judge: judgeOf(!strict && model.structuredReplies, tries, replies),
  });

const judgeOf = (structured: boolean, tries: number, replies: readonly JudgeReply[]): Judge => ({
  structured,
  tries,
  said: (part) =>
    replies
      .filter((reply) => reply.part === part)
      .sort((a, b) => a.number - b.number)
      .map(({ raw, cutOff }) => ({ text: raw, cutOff })),
});
