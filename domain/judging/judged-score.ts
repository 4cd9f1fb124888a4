import type { Score } from '../questions/score.js';
import { costOfReply, sumOfCosts, usageOf } from '../questions/usage-of-reply.js';
import type { Finding } from '../scoring/finding.js';
import { unscored, type Verdict } from '../scoring/verdict.js';
import { addUsage, noUsage } from '../usage.js';
import { findingOf, type Case } from './judge-of-replies.js';
import { judgePromptVersion } from './judge-prompt-version.js';
import type { JudgeReply } from './judge-reply.js';
import type { JudgingConfig } from './judging-config.js';
import { panelVerdict } from './panel.js';

/** All that judges have said about an answer. */
export interface Hearing {
  readonly config: JudgingConfig;
  /** Of each judge, in their order. */
  readonly replies: readonly (readonly JudgeReply[])[];
  /** Why a judge could not be asked to the end, in their order; null for the others. */
  readonly failures: readonly (string | null)[];
}

/** A verdict, and of judges what there is to tell. */
export type JudgedScore = Pick<Score, 'verdict' | 'judging' | 'judgeUsage' | 'judgeCostUsd'>;

/** The verdict of all judges together, and what it took. Whatever needs no judge says nothing of them. */
export function judgedScore(answer: Case, { config, replies, failures }: Hearing): JudgedScore {
  const verdicts = config.models.map((model, index) =>
    verdictOf(
      findingOf(answer, model, config.tries, replies[index] ?? []),
      failures[index] ?? null,
    ),
  );
  const verdict = panelVerdict(verdicts, config.combination);
  const all = replies.flat();
  const [first] = verdicts;
  const unheard = all.length === 0 && !(first && isUnavailable(first));
  // Each of them found the same without being asked.
  if (unheard) return { verdict: first ?? verdict };
  return {
    verdict,
    judging: {
      prompts: judgePromptVersion,
      combination: config.combination,
      judges: verdicts.map((found, index) => ({
        model: replies[index]?.at(-1)?.model ?? config.models[index]?.name ?? '',
        calls: replies[index]?.length ?? 0,
        verdict: found,
      })),
    },
    judgeUsage: all.map(usageOf).reduce(addUsage, noUsage),
    judgeCostUsd: sumOfCosts(all.map(costOfReply)),
  };
}

const verdictOf = (finding: Finding, failure: string | null): Verdict =>
  finding.kind === 'open' ? unscored('judge-unavailable', failure ?? '') : finding;

const isUnavailable = (verdict: Verdict): boolean =>
  verdict.kind === 'unscored' && verdict.reason === 'judge-unavailable';
