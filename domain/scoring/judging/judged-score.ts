import { costOfReply, sumOfCosts, usageOf } from '../../agent/turn-record.js';
import type { PythonValue } from '../../formats/python/value.js';
import type { ModelConfig } from '../../models/model-settings.js';
import { versionWith } from '../../models/prompt-file.js';
import { addUsage, noUsage } from '../../models/usage.js';
import type { Evaluator } from '../dataset-item.js';
import { judgeValue } from '../score-answer.js';
import { type Score } from '../score.js';
import { unscored, type Verdict } from '../verdict.js';
import type { Finding, ScoringMode } from '../scorer-options.js';
import { judgePromptVersion, judgeRequest, requestKey, type JudgeReply } from './judge-request.js';
import {
  combinationFor,
  panelVerdict,
  type JudgingConfig,
  type JudgingRules,
} from './judging-config.js';

/** An answer to be judged. */
export interface Case {
  readonly answer: PythonValue;
  readonly evaluator: Evaluator;
  readonly mode: ScoringMode;
}

interface ReadReplies {
  /** A verdict, or the next question for the judge. */
  readonly finding: Finding;
  /** The stored replies that were used, in the order of their calls. */
  readonly replies: readonly JudgeReply[];
}

/**
 * Reads a judge's stored replies about an answer, until the verdict is known or a reply is missing. A reply is found by the
 * key of its request, so that replies of other judges, to other prompts or about other answers are never used.
 * @param stored - the replies of any judges
 */
export function readJudgeReplies(
  { answer, evaluator, mode }: Case,
  model: ModelConfig,
  { tries, judgeEmpty, prompts }: JudgingRules,
  stored: readonly JudgeReply[],
): ReadReplies {
  const byRequest = new Map(stored.map((reply) => [reply.request, reply]));
  const read = new Map<string, readonly JudgeReply[]>();
  const replies: JudgeReply[] = [];
  const judge = {
    structured: mode !== 'strict' && model.structuredReplies,
    tries,
    judgeEmpty,
    prompts,
    repliesTo: (part: string) =>
      (read.get(part) ?? []).map(({ raw, cutOff, withheld }) => ({ text: raw, cutOff, withheld })),
  };
  for (;;) {
    const finding = judgeValue({ answer, evaluator, mode, judge });
    if (finding.kind !== 'open') return { finding, replies };
    const { part } = finding.question;
    const reply = byRequest.get(requestKey(judgeRequest(model, finding.question)));
    if (reply === undefined) return { finding, replies };
    read.set(part, [...(read.get(part) ?? []), reply]);
    replies.push(reply);
  }
}

/** The replies of all judges about an answer. */
export interface JudgeReplies {
  readonly config: JudgingConfig;
  /** In any order. */
  readonly replies: readonly JudgeReply[];
  /** Why the calls of a judge failed, in the order of the judges. Null for a judge without failures. */
  readonly failures: readonly (string | null)[];
}

/** The part of a score that depends on the verdict. */
export type JudgedScore = Pick<Score, 'verdict' | 'judging' | 'judgeUsage' | 'judgeCostUsd'>;

/** The combined verdict of all judges and its cost. Without the judges' fields if the answer needed no judge. */
export function judgedScore(
  answer: Case,
  { config, replies, failures }: JudgeReplies,
): JudgedScore {
  const judges = config.models.map((model, index) => {
    const read = readJudgeReplies(answer, model, config, replies);
    return { ...read, model, verdict: verdictOf(read.finding, failures[index] ?? null) };
  });
  const combination = combinationFor(answer.evaluator.eval_func, config);
  const verdict = panelVerdict(
    judges.map((judge) => judge.verdict),
    combination,
  );
  const [first] = judges;
  const needsNone = judges.every(
    ({ finding, replies }) => finding.kind !== 'open' && replies.length === 0,
  );
  // The verdict follows from the answer alone, so it is the same for every judge.
  if (needsNone) return { verdict: first?.verdict ?? verdict };
  const paid = [...new Set(judges.flatMap((judge) => judge.replies))];
  return {
    verdict,
    judging: {
      prompts: versionWith(judgePromptVersion, config.prompts),
      combination,
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
