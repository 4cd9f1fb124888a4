import {
  readGolds,
  readPredictions,
  scorePrediction,
  type AnswerToScore,
} from '../../../domain/scoring/predictions.js';
import type { ExecutionDone } from '../../../domain/scoring/execution-match/execution.js';
import type { Score } from '../../../domain/scoring/score.js';
import { scoredSamples, type ScoredSample } from '../../../domain/scoring/scored-sample.js';
import type { ScoringMode } from '../../../domain/scoring/scorer-options.js';
import { unscored } from '../../../domain/scoring/verdict.js';
import { flawedFiles, readTextFile } from '../../services/read-file.js';
import type { StoreSettings } from '../../../storage/stores/store-place.js';
import { scorersOf } from '../own-code.js';
import { answersScoredBy, ownScores, type OwnScoring } from './own-scores.js';
import { executionsOfPredictions, type Executions } from './execute-answers.js';

/** Decides what no comparison can. */
export interface JudgePort {
  /** Of the judges, as a version of scores names them. */
  readonly name: string;
  /** One score for each answer, in their order. */
  readonly judge: (
    answers: readonly AnswerToScore[],
    mode: ScoringMode,
  ) => Promise<readonly Score[]>;
}

/**
 * Scores answers in their order. Those that need a judge go to it together, after all others; without one they stay unscored.
 * @param executions - of the answers whose SQL is compared
 * @param own - without it, answers that a scorer of the user's would score stay unscored
 */
export async function scoreAnswers(
  answers: readonly AnswerToScore[],
  mode: ScoringMode,
  judge: JudgePort | null,
  executions: Executions,
  own: OwnScoring | null = null,
): Promise<readonly Score[]> {
  const scores = answers.map(({ prediction, item }) => scorePrediction(prediction, item, mode));
  for await (const done of executions) {
    const answer = answers[done.index];
    if (answer) scores[done.index] = executedScore(answer, done, mode);
  }
  if (own !== null) {
    for (const [index, score] of await ownScores(answers, mode, own)) scores[index] = score;
  }
  if (judge === null) return scores;
  const open = scores.flatMap((score, index) => (needsJudge(score) ? [index] : []));
  const judged = await judge.judge(
    open.flatMap((index) => answers[index] ?? []),
    mode,
  );
  const judgedAt = new Map(open.map((index, place) => [index, judged[place]]));
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

export const needsJudge = ({ verdict }: Score): boolean =>
  verdict.kind === 'unscored' && verdict.reason === 'needs-judge';

export interface PredictionFiles {
  readonly predictions: string;
  readonly gold: string;
}

export interface ScoredPredictions {
  /** In the order of the predictions. */
  readonly scores: readonly Score[];
  /** Every gold in every epoch, those without a prediction as well. */
  readonly samples: readonly ScoredSample[];
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
  own: OwnScoring | null = null,
): Promise<ScoredPredictions> {
  const golds = readGolds(readTextFile(files.gold), scorersOf(own?.plugins ?? []));
  const itemOf = new Map(golds.items.map((item) => [item.uuid, item]));
  const read = readPredictions(readTextFile(files.predictions), new Set(itemOf.keys()), mode);
  if (golds.problems.length + read.problems.length > 0) {
    throw flawedFiles([
      { file: files.gold, problems: golds.problems },
      { file: files.predictions, problems: read.problems },
    ]);
  }
  const asked = read.predictions.flatMap((prediction) => {
    const item = itemOf.get(prediction.uuid);
    return item === undefined ? [] : [{ prediction, item }];
  });
  const answers = own === null ? asked : answersScoredBy(own, asked);
  const executions = executionsOfPredictions(settings, files.gold, answers);
  const scores = await scoreAnswers(answers, mode, judge, executions, own);
  const samples = scoredSamples({
    items: golds.items,
    epochs: Math.max(1, ...new Set(read.predictions.map(({ epoch }) => epoch))),
    results: read.predictions.map((each) => ({ ...each, outcome: { kind: each.outcome } })),
    scores,
  });
  return { scores, samples, warnings: golds.warnings.map((text) => `${files.gold}: ${text}`) };
}
