import { databaseModes } from '../../agent/database-qa/answer-trace.js';
import { keyText } from '../../ids.js';
import type { Category } from '../../scoring/dataset-item.js';
import { clustersOf } from '../../scoring/score-estimate.js';
import { pairedBootstrap } from '../../statistics/bootstrap.js';
import { mean, type Interval } from '../../statistics/means.js';
import { byCategory } from './agent-figures.js';
import { matchScore, type Agent, type AgentAnswers } from './answer-record.js';

/** Two modes of one model on the items that both answered. Means are over the items with a score in both; null without. */
export interface PairedCategory {
  /** Items that both answered. */
  readonly common: number;
  readonly scored: number;
  readonly baselineMatch: number | null;
  readonly match: number | null;
  /** `match` minus `baselineMatch`. */
  readonly difference: number | null;
  /** By the paired bootstrap over questions. Null for fewer than two. */
  readonly interval: Interval | null;
}

/** A row of the paper's Table 3, in which the baseline has no interaction. */
export type PairedModes = Agent &
  Readonly<Record<Category, PairedCategory>> & { readonly baseline: Agent };

/** Every two agents with the same model and different methods, the one with less interaction as the baseline. */
export const pairedModes = (agents: readonly AgentAnswers[]): readonly PairedModes[] =>
  agents.flatMap((baseline) =>
    agents
      .filter((other) => isMoreOf(baseline.agent, other.agent))
      .map((other) => pair(baseline, other)),
  );

const isMoreOf = (less: Agent, more: Agent): boolean =>
  less.model === more.model &&
  databaseModes.indexOf(less.method) < databaseModes.indexOf(more.method);

const pair = (baseline: AgentAnswers, other: AgentAnswers): PairedModes => ({
  ...other.agent,
  baseline: baseline.agent,
  ...byCategory((category) => pairedCategory(category, baseline, other)),
});

function pairedCategory(
  category: Category,
  baseline: AgentAnswers,
  other: AgentAnswers,
): PairedCategory {
  const answered = ({ answers }: AgentAnswers): AgentAnswers['answers'] =>
    answers.filter((answer) => answer.category === category && answer.outcome === 'answered');
  const before = new Map(answered(baseline).map((answer) => [keyText(answer), answer]));
  const common = answered(other).flatMap((after) => {
    const answer = before.get(keyText(after));
    return answer === undefined ? [] : [{ before: answer, after }];
  });
  const scored = common.flatMap((both) => {
    const [from, to] = [matchScore(both.before), matchScore(both.after)];
    return from === null || to === null ? [] : [{ from, to, cluster: both.after.uuid }];
  });
  const counts = { common: common.length, scored: scored.length };
  if (scored.length === 0) {
    return { ...counts, baselineMatch: null, match: null, difference: null, interval: null };
  }
  const clusters = clustersOf(
    scored.map(({ from, to, cluster }) => ({ cluster, score: to - from })),
  );
  return {
    ...counts,
    baselineMatch: mean(scored.map(({ from }) => from)),
    match: mean(scored.map(({ to }) => to)),
    difference: mean(clusters.flat()),
    interval: clusters.length < 2 ? null : pairedBootstrap(clusters).interval,
  };
}
