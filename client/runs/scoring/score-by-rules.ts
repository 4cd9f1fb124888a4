import { rulesScoresFile } from '../../../domain/runs/run-layout.js';
import { ruleNames } from '../../../domain/scoring/execution-match/execution-options.js';
import type { ExecutionRule } from '../../../domain/scoring/execution-match/execution-rules.js';
import {
  answerUnderRule,
  ruleSpread,
  type RuleSpread,
  type ScoredAnswer,
} from '../../../domain/scoring/execution-match/rule-scores.js';
import { scorePrediction, type AnswerToScore } from '../../../domain/scoring/predictions.js';
import type { ScoringMode } from '../../../domain/scoring/scorer-options.js';
import { UserError } from '../../../domain/user-error.js';
import { executionsOfRun, type Executions } from './execute-answers.js';
import type { RunFolder } from '../run-folder.js';
import { executedScore } from './score-answers.js';
import { answersOf } from './score-run.js';

/**
 * Scores a run under several rules from what its answers and golds returned. The scores of the run stay; those of all rules are
 * written to `scores/rules.jsonl`.
 * @throws UserError if no answer can be compared by any of the rules
 */
export async function scoreRunByRules(
  folder: RunFolder,
  rules: readonly ExecutionRule[],
): Promise<RuleSpread> {
  const manifest = await folder.manifest();
  const answers = await answersOf(folder);
  const executions = executionsOfRun(folder, manifest, answers);
  const mode = manifest.config.strict ? 'strict' : 'default';
  const scored = await scoresByRules(answers, rules, mode, executions);
  if ([...scored.values()].every((each) => each.length === 0)) {
    throw new UserError(
      `no question of run ${folder.run} is scored by eval_execution_match with a gold for ${rules.join(', ')}`,
    );
  }
  const lines = [...scored.values()].flat().map(({ score }) => `${JSON.stringify(score)}\n`);
  await folder.write(rulesScoresFile, lines.join(''));
  return ruleSpread(scored);
}

async function scoresByRules(
  answers: readonly AnswerToScore[],
  rules: readonly ExecutionRule[],
  mode: ScoringMode,
  executions: Executions,
): Promise<ReadonlyMap<ExecutionRule, readonly ScoredAnswer[]>> {
  const scored = new Map(rules.map((rule) => [rule, new Map<number, ScoredAnswer>()]));
  const each = (index: number, scoreOf: (answer: AnswerToScore) => ScoredAnswer['score']): void => {
    const answer = answers[index];
    for (const [rule, byIndex] of scored) {
      const changed = answer && answerUnderRule(answer, rule);
      if (changed) byIndex.set(index, { answer: changed, score: scoreOf(changed) });
    }
  };
  for (const index of answers.keys()) {
    each(index, ({ prediction, item }) => scorePrediction(prediction, item, mode));
  }
  for await (const done of executions) {
    each(done.index, (answer) => executedScore(answer, done, mode));
  }
  return new Map([...scored].map(([rule, byIndex]) => [rule, [...byIndex.values()]]));
}

/** @throws UserError naming the rules if one is unknown */
export function rulesNamed(names: readonly string[]): readonly ExecutionRule[] {
  if (names.includes('all')) return ruleNames;
  const unknown = names.filter((name) => !ruleNames.some((rule) => rule === name));
  if (unknown.length > 0) {
    throw new UserError(
      `there is no rule ${unknown.join(', ')}; there are ${ruleNames.join(', ')}, and all`,
    );
  }
  return ruleNames.filter((rule) => names.includes(rule));
}
