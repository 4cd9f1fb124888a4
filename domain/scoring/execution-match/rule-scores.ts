import { keyText } from '../../ids.js';
import type { Evaluator } from '../dataset-item.js';
import type { AnswerToScore } from '../predictions.js';
import { headlinesOf, type Headline } from '../score-ledger.js';
import type { Score } from '../score.js';
import { executionMatch, executionProblem, ruleNames } from './execution-options.js';
import type { ExecutionRule } from './execution-rules.js';

/** The answer under another rule. Null if its golds are none that the rule compares with. */
export function answerUnderRule(answer: AnswerToScore, rule: ExecutionRule): AnswerToScore | null {
  const { evaluator } = answer.item;
  if (evaluator?.eval_func !== executionMatch) return null;
  const changed: Evaluator = { ...evaluator, eval_kwargs: { ...evaluator.eval_kwargs, rule } };
  if (executionProblem(changed.eval_kwargs) !== null) return null;
  return { ...answer, item: { ...answer.item, evaluator: changed } };
}

/** The scores of the same answers under several rules. */
export interface RuleSpread {
  /** In the order in which the rules are listed. Rules that compare no answer are left out. */
  readonly rules: readonly { readonly rule: ExecutionRule; readonly headline: Headline }[];
  /** For each two rules, on how many answers with a score under both they differ. */
  readonly differences: readonly {
    readonly rules: readonly [ExecutionRule, ExecutionRule];
    readonly answers: number;
    readonly differ: number;
  }[];
  /** Answers with a score under two rules or more, and how many of them get different scores. */
  readonly compared: number;
  readonly dependOnRule: number;
}

export type ScoresByRule = ReadonlyMap<ExecutionRule, readonly ScoredAnswer[]>;

export interface ScoredAnswer {
  readonly answer: AnswerToScore;
  readonly score: Score;
}

export function ruleSpread(scores: ScoresByRule): RuleSpread {
  const rules = ruleNames.flatMap((rule) => {
    const answers = scores.get(rule) ?? [];
    if (answers.length === 0) return [];
    const byAnswer = new Map(
      answers.flatMap(({ score }) => (score.score === null ? [] : [[keyText(score), score.score]])),
    );
    return [{ rule, answers, byAnswer }];
  });
  const keys = new Set(rules.flatMap(({ byAnswer }) => [...byAnswer.keys()]));
  const scoresOf = [...keys]
    .map((key) => rules.flatMap(({ byAnswer }) => byAnswer.get(key) ?? []))
    .filter(({ length }) => length > 1);
  return {
    rules: rules.map(({ rule, answers }) => ({ rule, headline: headlineUnder(answers) })),
    differences: rules.flatMap((one, index) =>
      rules.slice(index + 1).map((other) => {
        const both = [...one.byAnswer].filter(([key]) => other.byAnswer.has(key));
        const differ = both.filter(([key, score]) => other.byAnswer.get(key) !== score);
        return {
          rules: [one.rule, other.rule] as const,
          answers: both.length,
          differ: differ.length,
        };
      }),
    ),
    compared: scoresOf.length,
    dependOnRule: scoresOf.filter((each) => new Set(each).size > 1).length,
  };
}

/** All scores of a rule have one scale. */
const headlineUnder = (answers: readonly ScoredAnswer[]): Headline =>
  headlinesOf(
    answers.map(({ answer: { prediction, item }, score }) => ({
      uuid: score.uuid,
      epoch: score.epoch,
      item,
      result: { outcome: { kind: prediction.outcome } },
      score,
    })),
  )[0];
