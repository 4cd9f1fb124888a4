import { keyText } from '../../../domain/ids.js';
import {
  earlierScoresFile,
  manifestFile,
  scoresFile,
  scoreVersionsFile,
  type RunManifest,
} from '../../../domain/runs/run-manifest.js';
import { versionWith } from '../../../domain/models/prompt-file.js';
import { totalOfScores } from '../../../domain/runs/run-totals.js';
import type { DatasetItem } from '../../../domain/scoring/dataset-item.js';
import { type AnswerToScore, scorePrediction } from '../../../domain/scoring/predictions.js';
import { judgePromptVersion } from '../../../domain/scoring/judging/judge-request.js';
import { panelName } from '../../../domain/scoring/judging/judging-config.js';
import { ownName, ownNamed } from '../../../domain/scoring/own-scorer.js';
import { scoreSchema, type Score } from '../../../domain/scoring/score.js';
import {
  codeOf,
  isOf,
  judgingFacts,
  scoresToReuse,
  specificationText,
  scoreVersionsSchema,
  versionText,
  scoreDifferences,
  type ScoreVersion,
} from '../../../domain/scoring/score-version.js';
import type { ScoringMode } from '../../../domain/scoring/scorer-options.js';
import { UserError } from '../../../domain/user-error.js';
import { ruleNames } from '../../../domain/scoring/execution-match/execution-options.js';
import type { ExecutionRule } from '../../../domain/scoring/execution-match/execution-rules.js';
import {
  answerUnderRule,
  type ScoredAnswer,
  type ScoresByRule,
} from '../../../domain/scoring/execution-match/rule-scores.js';
import { packageVersion } from '../../services/programs.js';
import { scorerFiles } from '../own-code.js';
import type { RunFolder } from '../run-folder.js';
import type { RunFiles } from './run-scores.js';
import { executionsOfRun, type Executions } from './execute-answers.js';
import {
  itemsScoredBy,
  type OwnScoring,
  scoreAnswers,
  type JudgePort,
  executedScore,
} from './score-answers.js';

interface Rescoring {
  /** Where nobody is named, the scorer of the version before scores again, as it is now. */
  readonly scorer?: ScoringMode | undefined;
  /** Null: those of the last version by the same scorer. */
  readonly judge: JudgePort | null;
  readonly own: OwnScoring;
}

interface RescoredRun {
  /** Oldest first; the last one is the current one. */
  readonly versions: readonly ScoreVersion[];
  /** Whether there is a version more than before: the same scores by the same specification make none. */
  readonly isNew: boolean;
}

/**
 * Scores a run's answers again, asking no model. Earlier scores are kept beside the new ones. A verdict of judges or of the
 * user's own scorer that cost something stands where its specification is the one that is asked for.
 * @throws UserError where the run has not ended
 */
export async function scoreRun(
  folder: RunFolder,
  { scorer, judge, own: given }: Rescoring,
): Promise<RescoredRun> {
  const manifest = await folder.manifest();
  if (manifest.status === 'running') {
    throw new UserError(
      `run ${folder.run} has not ended; \`turnwise status ${folder.run}\` shows its scores so far`,
    );
  }
  const before = await folder.readLines(scoresFile, scoreSchema);
  const items = await folder.items();
  const [first, ...others] = await scoreVersions(folder, manifest, items);
  const versions = [first, ...others];
  const last = others.at(-1) ?? first;
  const isNamed = scorer !== undefined || judge !== null || given.scorer !== null;
  const own = isNamed || last.own === undefined ? given : { ...given, scorer: ownNamed(last.own) };
  const mode = scorer ?? last.scorer;
  const name = own.scorer === null ? undefined : ownName(own.scorer);
  const like = versions.findLast((each) => each.scorer === mode && each.own === name);
  const by = itemsScoredBy(own, items);
  const plugins = own.plugins.map(({ plugin }) => plugin);
  const next: ScoreVersion = {
    version: last.version + 1,
    scorer: mode,
    ...(name !== undefined && { own: name }),
    code: codeOf(by, plugins, scorerFiles(by)),
    judging: judge
      ? judgingFacts(judge.config, versionWith(judgePromptVersion, judge.config.prompts))
      : (like?.judging ?? null),
    judge: judge ? panelName(judge.config) : (like?.judge ?? null),
    scoredAt: new Date().toISOString(),
    turnwise: packageVersion(),
  };
  const stored = versions.map(
    async (each) => [each, await scoresOfVersion(folder, versions, each.version)] as const,
  );
  const earlier = scoresToReuse(next, items, await Promise.all(stored));
  const answers = await answersToScore(folder, by);
  const executions = executionsOfRun(folder, manifest, answers, { isStored: true });
  const scored = await scoreAnswers(answers, mode, judge, executions, own, ({ prediction }) => {
    const score = earlier.get(keyText(prediction));
    return score?.asking === prediction.asking ? score : undefined;
  });
  await requireUnchanged(folder, before);
  const scores = scored.map((score, index): Score => {
    const asking = answers[index]?.prediction.asking;
    return { ...score, ...(asking !== undefined && { asking }), version: next.version };
  });
  const same =
    !isMixed(last, before) &&
    specificationText(next) === specificationText(last) &&
    scoreDifferences(before, scores).changed.length === 0;
  if (same) return { versions, isNew: false };
  // The order matters: what is interrupted in between is found as it was, and can be done again.
  const kept = earlierScoresFile(last.version);
  const left = before.filter((score) => isOf(last, score));
  if ((await folder.read(kept)) === null) await folder.write(kept, linesOf(left));
  await folder.write(scoresFile, linesOf(scores));
  await folder.writeJson(scoreVersionsFile, [...versions, next]);
  await folder.writeJson(manifestFile, withScores(manifest, scores));
  return { versions: [...versions, next], isNew: true };
}

export const linesOf = (scores: readonly Score[]): string =>
  scores.map((score) => `${JSON.stringify(score)}\n`).join('');

/** Judges may take hours, in which questions may be asked again. Throws UserError where they were. */
async function requireUnchanged(folder: RunFolder, before: readonly Score[]): Promise<void> {
  const now = await folder.readLines(scoresFile, scoreSchema);
  const { status } = await folder.manifest();
  if (status !== 'running' && linesOf(now) === linesOf(before)) return;
  throw new UserError(
    `questions of run ${folder.run} were asked or scored again meanwhile: once it has ended, the same command scores all of them, and what judges said is kept`,
  );
}

/** Every version of a run's scores, oldest first. Without items the first, the run's own, tells nothing of the user's code. */
export async function scoreVersions(
  folder: RunFolder,
  { config, endedAt, versions, scorerFiles: files }: RunManifest,
  items: readonly DatasetItem[] = [],
): Promise<readonly [ScoreVersion, ...ScoreVersion[]]> {
  const [stored, ...others] = (await folder.readJson(scoreVersionsFile, scoreVersionsSchema)) ?? [];
  const first: ScoreVersion = {
    version: 1,
    scorer: config.strict ? 'strict' : 'default',
    code: codeOf(items, config.plugins, files ?? {}),
    judging: config.judging && judgingFacts(config.judging, versions.judgePrompts),
    judge: config.judging && panelName(config.judging),
    scoredAt: endedAt,
    turnwise: versions.turnwise,
  };
  return [{ ...first, ...stored }, ...others];
}

/** Whether questions were asked again since a version was made: their scores are the run's own. */
const isMixed = (version: ScoreVersion, scores: readonly Score[]): boolean =>
  scores.some((score) => !isOf(version, score));

/** By whom a run's scores are. Those of questions that were asked again since are the run's own. */
export async function scorerOf(
  folder: RunFolder,
  { manifest, scores }: Pick<RunFiles, 'manifest' | 'scores'>,
): Promise<string> {
  const [first, ...others] = await scoreVersions(folder, manifest);
  const last = others.at(-1);
  if (last === undefined) return versionText(first);
  if (!isMixed(last, scores)) return versionText(last);
  const judge = last.judge === null ? '' : ', with the same --judge-model,';
  return `${versionText(last)}, and what was asked again since as the run began: \`turnwise score ${folder.run}\`${judge} makes them alike`;
}

/** The scores of one of a run's versions. */
export const scoresOfVersion = (
  folder: RunFolder,
  versions: readonly ScoreVersion[],
  version: number,
): Promise<readonly Score[]> =>
  folder.readLines(
    version === versions.at(-1)?.version ? scoresFile : earlierScoresFile(version),
    scoreSchema,
  );

export async function answersToScore(
  folder: RunFolder,
  items: readonly DatasetItem[],
): Promise<readonly AnswerToScore[]> {
  const itemOf = new Map(items.map((item) => [item.uuid, item]));
  return (await folder.results()).flatMap(({ uuid, epoch, asking, answer, outcome }) => {
    const item = itemOf.get(uuid);
    const value = answer === null ? null : { kind: 'str' as const, value: answer };
    return item === undefined
      ? []
      : [{ prediction: { uuid, epoch, asking, answer: value, outcome: outcome.kind }, item }];
  });
}

function withScores(manifest: RunManifest, scores: readonly Score[]): RunManifest {
  if (manifest.totals === null) return manifest;
  return { ...manifest, totals: { ...manifest.totals, scores: totalOfScores(scores) } };
}

/**
 * Scores a run under several rules from what its answers and golds returned. The run stays as it is.
 * @throws UserError if no answer can be compared by any of the rules
 */
export async function scoreRunByRules(
  folder: RunFolder,
  rules: readonly ExecutionRule[],
): Promise<ScoresByRule> {
  const manifest = await folder.manifest();
  const answers = await answersToScore(folder, await folder.items());
  const executions = executionsOfRun(folder, manifest, answers, { isStored: false });
  const mode = manifest.config.strict ? 'strict' : 'default';
  const scored = await scoresByRules(answers, rules, mode, executions);
  if ([...scored.values()].some(({ length }) => length > 0)) return scored;
  throw new UserError(
    `no question of run ${folder.run} is scored by eval_execution_match with a gold for ${rules.join(', ')}`,
  );
}

async function scoresByRules(
  answers: readonly AnswerToScore[],
  rules: readonly ExecutionRule[],
  mode: ScoringMode,
  executions: Executions,
): Promise<ScoresByRule> {
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
