import { createHash } from 'node:crypto';
import { keyText } from '../../../domain/ids.js';
import {
  earlierScoresFile,
  manifestFile,
  scoresFile,
  scoreVersionsFile,
  scoreVersionsSchema,
  type ScoreVersion,
  rulesScoresFile,
} from '../../../domain/runs/run-layout.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import { addScore, noScores } from '../../../domain/runs/run-totals.js';
import { type AnswerToScore, scorePrediction } from '../../../domain/scoring/predictions.js';
import { panelsIn } from '../../../domain/scoring/judging/judge-agreement.js';
import { panelName } from '../../../domain/scoring/judging/judging-config.js';
import type { OwnScorer } from '../../../domain/scoring/own-scorer.js';
import { scaleOf } from '../../../domain/scoring/scale.js';
import { scoreSchema, type Score } from '../../../domain/scoring/score.js';
import { scoreDifferences } from '../../../domain/scoring/score-differences.js';
import type { ScoringMode } from '../../../domain/scoring/scorer-options.js';
import { UserError } from '../../../domain/user-error.js';
import { ruleNames } from '../../../domain/scoring/execution-match/execution-options.js';
import type { ExecutionRule } from '../../../domain/scoring/execution-match/execution-rules.js';
import {
  answerUnderRule,
  ruleSpread,
  type RuleSpread,
  type ScoredAnswer,
} from '../../../domain/scoring/execution-match/rule-scores.js';
import { packageVersion } from '../../services/versions.js';
import type { RunFolder } from '../run-folder.js';
import { executionsOfRun, type Executions } from './execute-answers.js';
import {
  answersScoredBy,
  isUnasked,
  type OwnScoring,
  needsJudge,
  scoreAnswers,
  type JudgePort,
  executedScore,
} from './score-answers.js';

/** `strict scorer, judged by gpt-4o`. */
export const versionText = ({ scorer, own, judge }: ScoreVersion): string =>
  [own ?? `${scorer} scorer`, ...(judge === null ? [] : [`judged by ${judge}`])].join(', ');

interface Rescoring {
  /** That of the version before where it is left out. */
  readonly scorer?: ScoringMode;
  readonly judge: JudgePort | null;
  /** @defaultValue null */
  readonly own?: OwnScoring | null;
}

interface RescoredRun {
  /** Oldest first; the last one is the current one. */
  readonly versions: readonly ScoreVersion[];
  /** Whether there is a version more than before: the same scores by the same scorer make none. */
  readonly isNew: boolean;
  /** Questions were asked again after the version before was made, and scored as the run began. */
  readonly hadChanged: boolean;
}

/**
 * Scores a run's answers again, asking no model. Earlier scores are kept beside the new ones. What a judge found stands
 * unless another judge is given: it was paid for.
 * @throws UserError where the run has not ended
 */
export async function scoreRun(
  folder: RunFolder,
  { scorer, judge, own = null }: Rescoring,
): Promise<RescoredRun> {
  const manifest = await folder.manifest();
  if (manifest.status === 'running') {
    throw new UserError(
      `run ${folder.run} has not ended; \`turnwise status ${folder.run}\` shows its scores so far`,
    );
  }
  const before = await currentScores(folder);
  const versions = await scoreVersions(folder);
  const last = versions.at(-1) ?? firstVersion(manifest, before.text);
  const mode = scorer ?? last.scorer;
  const asked = await answersOf(folder);
  const answers = own === null ? asked : answersScoredBy(own, asked);
  const executions = executionsOfRun(folder, manifest, answers);
  const all = await scoreAnswers(answers, mode, judge, executions, own);
  const scored = own === null ? keepOwn(all, before.scores) : all;
  await requireUnchanged(folder, before.text);
  const scores = keepJudged(scored, before.scores, judge);
  const text = scores.map((score) => `${JSON.stringify(score)}\n`).join('');
  const hadChanged = last.fingerprint !== fingerprintOf(before.text);
  const next: ScoreVersion = {
    version: last.version + 1,
    scorer: mode,
    ...(own?.scorer && { own: ownName(own.scorer) }),
    judge: judge?.name ?? (hadChanged ? judgesLeft(manifest, last, scores) : last.judge),
    scoredAt: new Date().toISOString(),
    turnwise: packageVersion(),
    fingerprint: fingerprintOf(text),
  };
  const same =
    !hadChanged &&
    next.scorer === last.scorer &&
    next.own === last.own &&
    next.judge === last.judge &&
    scoreDifferences(before.scores, scores).changed.length === 0;
  if (same) return { versions, isNew: false, hadChanged };
  // The order matters: what is interrupted in between is found as it was, and can be done again.
  const kept = earlierScoresFile(last.version);
  if ((await folder.read(kept)) === null) await folder.write(kept, before.text);
  await folder.write(scoresFile, text);
  await folder.write(scoreVersionsFile, `${JSON.stringify([...versions, next], null, 1)}\n`);
  await folder.write(manifestFile, `${JSON.stringify(withScores(manifest, scores), null, 1)}\n`);
  return { versions: [...versions, next], isNew: true, hadChanged };
}

/** Whose verdicts stay: others may have judged the last version, and the run's own judges what was asked again since. */
function judgesLeft(
  { config }: RunManifest,
  last: ScoreVersion,
  scores: readonly Score[],
): string | null {
  const own = config.judging && panelName(config.judging);
  return last.judge === own ? own : panelsIn(scores).join(' and ') || null;
}

/** Judges may take hours, in which questions may be asked again. Throws UserError where they were. */
async function requireUnchanged(folder: RunFolder, scoresBefore: string): Promise<void> {
  if (
    (await folder.manifest()).status !== 'running' &&
    (await currentScores(folder)).text === scoresBefore
  )
    return;
  throw new UserError(
    `questions of run ${folder.run} were asked or scored again meanwhile: once it has ended, the same command scores all of them, and what judges said is kept`,
  );
}

/** Every version of a run's scores, oldest first: the run's own where it was never scored again. */
const scoreVersions = async (folder: RunFolder): Promise<readonly ScoreVersion[]> =>
  (await folder.readJson(scoreVersionsFile, scoreVersionsSchema)) ?? [
    firstVersion(await folder.manifest(), (await currentScores(folder)).text),
  ];

/** By whom a run's scores are. Those of questions that were asked again since are the run's own. */
export async function scorerOf(folder: RunFolder): Promise<string> {
  const last = (await scoreVersions(folder)).at(-1);
  if (last === undefined) return '';
  const hasChanged = last.fingerprint !== fingerprintOf((await currentScores(folder)).text);
  if (!hasChanged || last.version === 1) return versionText(last);
  const judge = last.judge === null ? '' : ', with the same --judge-model,';
  return `${versionText(last)}, and what was asked again since as the run began: \`turnwise score\`${judge} makes them alike`;
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

async function currentScores(folder: RunFolder): Promise<{
  readonly text: string;
  readonly scores: readonly Score[];
}> {
  return {
    text: (await folder.read(scoresFile)) ?? '',
    scores: await folder.readLines(scoresFile, scoreSchema),
  };
}

const firstVersion = ({ config, endedAt, versions }: RunManifest, text: string): ScoreVersion => ({
  version: 1,
  scorer: config.strict ? 'strict' : 'default',
  judge: config.judging && panelName(config.judging),
  scoredAt: endedAt,
  turnwise: versions.turnwise,
  fingerprint: fingerprintOf(text),
});

async function answersOf(folder: RunFolder): Promise<readonly AnswerToScore[]> {
  const itemOf = new Map((await folder.items()).map((item) => [item.uuid, item]));
  return (await folder.results()).flatMap(({ uuid, epoch, answer, outcome }) => {
    const item = itemOf.get(uuid);
    const value = answer === null ? null : { kind: 'str' as const, value: answer };
    return item === undefined
      ? []
      : [{ prediction: { uuid, epoch, answer: value, outcome: outcome.kind }, item }];
  });
}

const ownName = (scorer: OwnScorer): string =>
  scorer.kind === 'plugin' ? `scorer ${scorer.name}` : `program ${scorer.command}`;

/** What the user's own scorers said in the run stays where they are not asked again. */
function keepOwn(scores: readonly Score[], before: readonly Score[]): readonly Score[] {
  const earlier = new Map(before.map((score) => [keyText(score), score]));
  return scores.map((score) => {
    const kept = earlier.get(keyText(score));
    return isUnasked(score.verdict) && kept?.scorer === score.scorer ? kept : score;
  });
}

function keepJudged(
  scores: readonly Score[],
  before: readonly Score[],
  judge: JudgePort | null,
): readonly Score[] {
  if (judge !== null) return scores;
  const earlier = new Map(before.map((score) => [keyText(score), score]));
  return scores.map((score) =>
    needsJudge(score) ? (earlier.get(keyText(score)) ?? score) : score,
  );
}

function withScores(manifest: RunManifest, scores: readonly Score[]): RunManifest {
  if (manifest.totals === null) return manifest;
  const totals = scores
    .map(({ score, scorer }) => ({ score, scale: scaleOf(scorer) }))
    .reduce((sums, score) => addScore(sums, score), noScores);
  return { ...manifest, totals: { ...manifest.totals, scores: totals } };
}

const fingerprintOf = (text: string): string => createHash('sha256').update(text).digest('hex');

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
