import { costOfReply, sumOfCosts, usageOf } from '../../agent/turn-record.js';
import type { PythonValue } from '../../formats/python/value.js';
import type { ModelConfig } from '../../models/model-settings.js';
import { addUsage, noUsage } from '../../models/usage.js';
import type { Evaluator } from '../dataset-item.js';
import { judgeValue } from '../score-answer.js';
import type { Score } from '../score.js';
import type { Finding, ScoringMode } from '../scorer-options.js';
import { unscored, type Verdict } from '../verdict.js';
import { judgePromptVersion, judgeRequest, requestKey, type JudgeReply } from './judge-request.js';
import { panelVerdict, type JudgingConfig } from './judging-config.js';

/** An answer before its judges. */
export interface Case {
  readonly answer: PythonValue;
  readonly evaluator: Evaluator;
  readonly mode: ScoringMode;
}

export interface ReadReplies {
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
export function readJudgeReplies(
  { answer, evaluator, mode }: Case,
  model: ModelConfig,
  tries: number,
  stored: readonly JudgeReply[],
): ReadReplies {
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

/** All that judges have said about an answer. */
export interface JudgeReplies {
  readonly config: JudgingConfig;
  /** Of all judges, in no particular order. */
  readonly replies: readonly JudgeReply[];
  /** Why a judge could not be asked to the end, in their order; null for the others. */
  readonly failures: readonly (string | null)[];
}

/** A verdict, and of judges what there is to tell. */
export type JudgedScore = Pick<Score, 'verdict' | 'judging' | 'judgeUsage' | 'judgeCostUsd'>;

/** The verdict of all judges together, and what it took. Whatever needs no judge says nothing of them. */
export function judgedScore(
  answer: Case,
  { config, replies, failures }: JudgeReplies,
): JudgedScore {
  const judges = config.models.map((model, index) => {
    const heard = readJudgeReplies(answer, model, config.tries, replies);
    return { ...heard, model, verdict: verdictOf(heard.finding, failures[index] ?? null) };
  });
  const verdict = panelVerdict(
    judges.map((judge) => judge.verdict),
    config.combination,
  );
  const [first] = judges;
  const needsNone = judges.every(
    ({ finding, replies }) => finding.kind !== 'open' && replies.length === 0,
  );
  // Each of them found the same without being asked.
  if (needsNone) return { verdict: first?.verdict ?? verdict };
  const paid = [...new Set(judges.flatMap((judge) => judge.replies))];
  return {
    verdict,
    judging: {
      prompts: judgePromptVersion,
      combination: config.combination,
      judges: judges.map((judge) => ({
        model: judge.replies.at(-1)?.model ?? judge.model.name,
        calls: judge.replies.length,
        verdict: judge.verdict,
      })),
    },
    judgeUsage: paid.map(usageOf).reduce(addUsage, noUsage),
    judgeCostUsd: sumOfCosts(paid.map(costOfReply)),
  };
}

const verdictOf = (finding: Finding, failure: string | null): Verdict =>
  finding.kind === 'open' ? unscored('judge-unavailable', failure ?? '') : finding;
