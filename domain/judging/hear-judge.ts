import type { ModelConfig } from '../models/model-config.js';
import type { PythonValue } from '../python/value.js';
import type { Evaluator } from '../questions/evaluator.js';
import type { ScoringMode } from '../scoring/comparison.js';
import type { Finding } from '../scoring/finding.js';
import { judgeValue } from '../scoring/score-answer.js';
import type { JudgeReply } from './judge-reply.js';
import { judgeRequest, requestKey } from './judge-request.js';

/** An answer before its judges. */
export interface Case {
  readonly answer: PythonValue;
  readonly evaluator: Evaluator;
  readonly mode: ScoringMode;
}

export interface Heard {
  /** A verdict, or what the judge has to be asked next. */
  readonly finding: Finding;
  /** What of the stored replies this rests on, in the order in which they were asked for. */
  readonly replies: readonly JudgeReply[];
}

/**
 * Goes through what a judge has to be asked about an answer, as far as replies to it are stored. A reply counts by the
 * request it answers: what another judge said, or this one of another answer, by other prompts or for another evaluator,
 * is not taken for it.
 * @param stored - of any judges
 */
export function hearJudge(
  { answer, evaluator, mode }: Case,
  model: ModelConfig,
  tries: number,
  stored: readonly JudgeReply[],
): Heard {
  const byRequest = new Map(stored.map((reply) => [reply.request, reply]));
  const said = new Map<string, readonly JudgeReply[]>();
  const replies: JudgeReply[] = [];
  const judge = {
    structured: mode !== 'strict' && model.structuredReplies,
    tries,
    said: (part: string) =>
      (said.get(part) ?? []).map(({ raw, cutOff }) => ({ text: raw, cutOff })),
  };
  for (;;) {
    const finding = judgeValue({ answer, evaluator, mode, judge });
    if (finding.kind !== 'open') return { finding, replies };
    const { part } = finding.question;
    const reply = byRequest.get(requestKey(judgeRequest(model, finding.question)));
    if (reply === undefined) return { finding, replies };
    said.set(part, [...(said.get(part) ?? []), reply]);
    replies.push(reply);
  }
}
