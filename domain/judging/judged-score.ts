import type { Score } from '../questions/score.js';
import { costOfReply, sumOfCosts, usageOf } from '../questions/usage-of-reply.js';
import type { Finding } from '../scoring/finding.js';
import { unscored, type Verdict } from '../scoring/verdict.js';
import { addUsage, noUsage } from '../usage.js';
import { hearJudge, type Case } from './hear-judge.js';
import { judgePromptVersion } from './judge-prompt-version.js';
import type { JudgeReply } from './judge-reply.js';
import type { JudgingConfig } from './judging-config.js';
import { panelVerdict } from './panel.js';

/** All that judges have said about an answer. */
export interface Hearing {
  readonly config: JudgingConfig;
  /** Of all judges, in no particular order. */
  readonly replies: readonly JudgeReply[];
  /** Why a judge could not be asked to the end, in their order; null for the others. */
  readonly failures: readonly (string | null)[];
}

/** A verdict, and of judges what there is to tell. */
export type JudgedScore = Pick<Score, 'verdict' | 'judging' | 'judgeUsage' | 'judgeCostUsd'>;

/** The verdict of all judges together, and what it took. Whatever needs no judge says nothing of them. */
export function judgedScore(answer: Case, { config, replies, failures }: Hearing): JudgedScore {
  const judges = config.models.map((model, index) => {
    const heard = hearJudge(answer, model, config.tries, replies);
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
