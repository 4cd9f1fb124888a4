import {
  readGolds,
  readPredictions,
  scorePrediction,
  type AnswerToScore,
  type Golds,
  type Prediction,
} from '../../../domain/scoring/predictions.js';
import type { ExecutionDone } from '../../../domain/scoring/execution-match/execution.js';
import { type Score } from '../../../domain/scoring/score.js';
import { unscored, type UnscoredReason } from '../../../domain/scoring/verdict.js';
import { answersOf, type Answer, type GoldItem } from '../../../domain/scoring/answer.js';
import type { JudgingConfig } from '../../../domain/scoring/judging/judging-config.js';
import type { ScoringMode } from '../../../domain/scoring/scorer-options.js';
import { str } from '../../../domain/formats/python/value.js';
import { exactJson, exactJsonIn } from '../../../domain/formats/json.js';
import { ownFailure, type OwnOutcome } from '../../../domain/agent/plugin.js';
import { evaluatorSchema, type Evaluator } from '../../../domain/scoring/dataset-item.js';
import {
  askedScore,
  evaluatorBy,
  failureOfOwnScorer,
  ownScorerOf,
  ownVerdict,
  type OwnScorer,
} from '../../../domain/scoring/own-scorer.js';
import type { StoreSettings } from '../../../storage/stores/store-place.js';
import type { LoadedPlugin } from '../../../plugins/load-plugins.js';
import type { OwnCode } from '../../../plugins/own-code.js';
import { exitStatus, UserError } from '../../../domain/user-error.js';
import { flawedFiles, readLinesFile } from '../../services/read-file.js';
import { scorersOf } from '../own-code.js';
import { executionsOfPredictions, type Executions } from './execute-answers.js';

/** Decides what no comparison can. */
export interface JudgePort {
  readonly config: JudgingConfig;
  /** One score for each answer, in their order. */
  readonly judge: (
    answers: readonly AnswerToScore[],
    mode: ScoringMode,
  ) => Promise<readonly Score[]>;
}

/**
 * Scores answers in their order. Those that need a judge go to it together, after all others; without one they stay unscored.
 * @param executions - of the answers whose SQL is compared
 * @param earlier - the score by these scorers that an answer has already: what costs something is not made again
 * @throws UserError where the user's own scorer decides alone, and fails for every answer
 */
export async function scoreAnswers(
  answers: readonly AnswerToScore[],
  mode: ScoringMode,
  judge: JudgePort | null,
  executions: Executions,
  own: OwnScoring,
  earlier: (answer: AnswerToScore) => Score | undefined = () => undefined,
): Promise<readonly Score[]> {
  const scores = answers.map(({ prediction, item }) => scorePrediction(prediction, item, mode));
  for await (const done of executions) {
    const answer = answers[done.index];
    if (answer) scores[done.index] = executedScore(answer, done, mode);
  }
  await askOwnScorers(answers, scores, own, earlier);
  const open = answers.flatMap((answer, index) => {
    const score = scores[index];
    return score && isLeftTo(score, 'needs-judge') ? [{ answer, index, score }] : [];
  });
  const judged = judge
    ? await judge.judge(
        open.map(({ answer }) => answer),
        mode,
      )
    : open.map(({ answer, score }) => earlier(answer) ?? score);
  const judgedAt = new Map(open.map(({ index }, place) => [index, judged[place]]));
  return scores.map((score, index) => judgedAt.get(index) ?? score);
}

/** The score of an answer whose SQL was executed, or could not be. */
export function executedScore(
  { prediction, item }: AnswerToScore,
  done: ExecutionDone,
  mode: ScoringMode,
): Score {
  if ('execution' in done) return scorePrediction(prediction, item, mode, done.execution);
  const verdict = unscored('not-executed', done.failure);
  return { ...scorePrediction(prediction, item, mode), score: null, verdict };
}

/** Whether somebody else is to find the verdict: for want of whom it has one of the reasons. */
const isLeftTo = ({ verdict }: Score, ...reasons: readonly UnscoredReason[]): boolean =>
  verdict.kind === 'unscored' && reasons.includes(verdict.reason);

export interface PredictionFiles {
  readonly predictions: string;
  readonly gold: string;
}

interface ScoredPredictions {
  /** In the order of the predictions. */
  readonly scores: readonly Score[];
  /** Every gold in every epoch, those without a prediction as well. */
  readonly samples: readonly Answer[];
  /** What is odd about the golds, each naming its line. */
  readonly warnings: readonly string[];
}

/**
 * Scores the answers of a file by the golds of another, paired by uuid.
 * @param settings - where databases are imported into
 * @throws UserError naming every flawed line, before a judge is asked
 */
export async function scorePredictions(
  files: PredictionFiles,
  mode: ScoringMode,
  judge: JudgePort | null,
  settings: StoreSettings,
  own: OwnScoring,
): Promise<ScoredPredictions> {
  const { golds, predictions, answers } = readAnswers(files, mode, own);
  const executions = executionsOfPredictions(settings, files.gold, answers);
  const scores = await scoreAnswers(answers, mode, judge, executions, own);
  const samples = answersOf({
    items: golds.items,
    epochs: Math.max(1, ...new Set(predictions.map(({ epoch }) => epoch))),
    results: predictions.map((each) => ({ ...each, outcome: { kind: each.outcome } })),
    scores,
  });
  return { scores, samples, warnings: golds.warnings.map((text) => `${files.gold}: ${text}`) };
}

/** @throws UserError naming every flawed line */
export function readAnswers(
  files: PredictionFiles,
  mode: ScoringMode,
  own: OwnScoring | null,
): {
  readonly golds: Golds;
  readonly predictions: readonly Prediction[];
  readonly answers: readonly AnswerToScore[];
} {
  const golds = readGolds(readLinesFile(files.gold), scorersOf(own?.plugins ?? []));
  const itemOf = new Map(
    (own ? itemsScoredBy(own, golds.items) : golds.items).map((item) => [item.uuid, item]),
  );
  const read = readPredictions(readLinesFile(files.predictions), new Set(itemOf.keys()), mode);
  if (golds.problems.length + read.problems.length > 0) {
    throw flawedFiles([
      { file: files.gold, problems: golds.problems },
      { file: files.predictions, problems: read.problems },
    ]);
  }
  const answers = read.predictions.flatMap((prediction) => {
    const item = itemOf.get(prediction.uuid);
    return item === undefined ? [] : [{ prediction, item }];
  });
  return { golds, predictions: read.predictions, answers };
}

/** How answers are scored by the user's own code. */
export interface OwnScoring {
  /** Takes the place of every evaluator. Null: the evaluators that name a scorer of the user's. */
  readonly scorer: OwnScorer | null;
  readonly plugins: readonly LoadedPlugin[];
  readonly ownCode: OwnCode;
  readonly timeoutMs: number;
  /** Told once where it fails for some answers, and others are scored. */
  readonly onFailed: (text: string) => void;
}

/** Answers that are scored at once. A program has few processes, for which the others wait. */
const atOnce = 20;

/** The lines of a dataset with the scorer in the place of each evaluator. A line that is no object stays as it is. */
export const scoredBy = (scorer: OwnScorer, text: string): string =>
  text
    .split('\n')
    .map((line) => {
      const item = exactJsonIn(line);
      if (typeof item !== 'object' || item === null || Array.isArray(item)) return line;
      const before = evaluatorSchema.safeParse('evaluator' in item ? item.evaluator : null).data;
      return exactJson({ ...item, evaluator: evaluatorBy(scorer, before) });
    })
    .join('\n');

/** Items whose evaluator is the scorer. */
export const itemsScoredBy = <T extends GoldItem>(
  { scorer }: OwnScoring,
  items: readonly T[],
): readonly T[] =>
  scorer === null
    ? items
    : items.map((item) => ({ ...item, evaluator: evaluatorBy(scorer, item.evaluator) }));

/** Puts the verdicts of the user's scorers in the place of the scores that are theirs to give. */
async function askOwnScorers(
  answers: readonly AnswerToScore[],
  scores: Score[],
  own: OwnScoring,
  earlier: (answer: AnswerToScore) => Score | undefined,
): Promise<void> {
  const isTheirs = ({ item }: AnswerToScore): boolean => ownScorerOf(item.evaluator) !== null;
  // What needs no scorer, such as a question that an outage ended, has a verdict of its own.
  const theirs = answers.flatMap((answer, index) => {
    const score = scores[index];
    return score && isTheirs(answer) && isLeftTo(score, 'scorer-failed', 'unknown-evaluator')
      ? [{ answer, index, score }]
      : [];
  });
  const failures: string[] = [];
  const ask = async (answer: AnswerToScore, base: Score): Promise<Score> => {
    const outcome = await outcomeOf(answer, own);
    const verdict = ownVerdict(outcome);
    const failure = failureOfOwnScorer(outcome);
    if (failure !== null) failures.push(failure);
    return { ...base, verdict, score: verdict.kind === 'scored' ? verdict.score : null };
  };
  const open = [...theirs];
  const next = async (): Promise<void> => {
    for (let each = open.shift(); each !== undefined; each = open.shift()) {
      const { answer, index, score } = each;
      scores[index] = earlier(answer) ?? (await ask(answer, score));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, next));
  if (failures.length === 0) return;
  const text = `the scorer failed for ${failures.length} of ${theirs.length} answers: ${failures[0]}`;
  const isAlone = answers.every((each, at) => isTheirs(each) || scores[at]?.scorer === null);
  if (isAlone && failures.length === theirs.length)
    throw new UserError(`no score is written, because ${text}`, exitStatus.scorerFailed);
  own.onFailed(text);
}

async function outcomeOf(
  { prediction, item }: AnswerToScore,
  { plugins, ownCode, timeoutMs }: OwnScoring,
): Promise<OwnOutcome> {
  const { signal } = new AbortController();
  // It is one of the user's.
  const evaluator = item.evaluator as Evaluator;
  const scorer = ownScorerOf(evaluator) as OwnScorer;
  const answer = prediction.answer === null ? '' : str(prediction.answer);
  const input = askedScore(prediction, item, evaluator, answer);
  if (scorer.kind === 'program') {
    return ownCode.callProgram({ command: scorer.command, input, timeoutMs }, signal);
  }
  const { name } = scorer;
  const loaded = plugins.find(({ plugin }) => plugin.scorers.includes(name));
  if (loaded === undefined) return ownFailure('crash', `no --plugin has a scorer ${name}`);
  return ownCode.callPlugin(
    {
      ...{ plugin: loaded.plugin, name, input, timeoutMs },
      code: () => Promise.resolve(loaded.code),
      what: 'scorer',
      context: { run: null },
    },
    signal,
  );
}
