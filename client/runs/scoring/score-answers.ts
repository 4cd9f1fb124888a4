import {
  readGolds,
  readPredictions,
  scorePrediction,
  type AnswerToScore,
} from '../../../domain/scoring/predictions.js';
import type { ExecutionDone } from '../../../domain/scoring/execution-match/execution.js';
import type { Score } from '../../../domain/scoring/score.js';
import { answersOf, type Answer } from '../../../domain/scoring/answer.js';
import type { ScoringMode } from '../../../domain/scoring/scorer-options.js';
import { unscored, type Verdict } from '../../../domain/scoring/verdict.js';
import { str } from '../../../domain/formats/python/text.js';
import { exactJson, exactJsonIn } from '../../../domain/formats/json.js';
import { pluginWith } from '../../../domain/agent/plugin.js';
import { evaluatorSchema, type Evaluator } from '../../../domain/scoring/dataset-item.js';
import {
  askedScore,
  evaluatorBy,
  ownScorerOf,
  ownVerdict,
  type OwnScorer,
} from '../../../domain/scoring/own-scorer.js';
import type { StoreSettings } from '../../../storage/stores/store-place.js';
import type { LoadedPlugin } from '../../../plugins/load-plugins.js';
import type { OwnCode } from '../../../plugins/own-code.js';
import { flawedFiles, readLinesFile } from '../../services/read-file.js';
import { scorersOf } from '../own-code.js';
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
  own: OwnScoring | null = null,
): Promise<ScoredPredictions> {
  const golds = readGolds(readLinesFile(files.gold), scorersOf(own?.plugins ?? []));
  const itemOf = new Map(golds.items.map((item) => [item.uuid, item]));
  const read = readPredictions(readLinesFile(files.predictions), new Set(itemOf.keys()), mode);
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
  const samples = answersOf({
    items: golds.items,
    epochs: Math.max(1, ...new Set(read.predictions.map(({ epoch }) => epoch))),
    results: read.predictions.map((each) => ({ ...each, outcome: { kind: each.outcome } })),
    scores,
  });
  return { scores, samples, warnings: golds.warnings.map((text) => `${files.gold}: ${text}`) };
}

/** How answers are scored by the user's own code. */
export interface OwnScoring {
  /** Takes the place of every evaluator. Null: the evaluators that name a scorer of the user's. */
  readonly scorer: OwnScorer | null;
  readonly plugins: readonly LoadedPlugin[];
  readonly ownCode: OwnCode;
  readonly timeoutMs: number;
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

/** Answers whose evaluators are the scorer. */
export const answersScoredBy = (
  { scorer }: Pick<OwnScoring, 'scorer'>,
  answers: readonly AnswerToScore[],
): readonly AnswerToScore[] =>
  scorer === null
    ? answers
    : answers.map(({ prediction, item }) => ({
        prediction,
        item: { ...item, evaluator: evaluatorBy(scorer, item.evaluator) },
      }));

/** The scores of those answers that a scorer of the user's scores, by their index. */
async function ownScores(
  answers: readonly AnswerToScore[],
  mode: ScoringMode,
  own: OwnScoring,
): Promise<ReadonlyMap<number, Score>> {
  const scores = new Map<number, Score>();
  const open = answers.flatMap(({ item, prediction }, index) =>
    ownScorerOf(item.evaluator) === null || prediction.answer === null ? [] : [index],
  );
  const signal = new AbortController().signal;
  const next = async (): Promise<void> => {
    for (let index = open.shift(); index !== undefined; index = open.shift()) {
      const answer = answers[index];
      if (answer === undefined) continue;
      // What needs no scorer, such as a question that an outage ended, has a verdict of its own.
      const base = scorePrediction(answer.prediction, answer.item, mode);
      const verdict = isUnasked(base.verdict) ? await verdictOf(answer, own, signal) : base.verdict;
      const score = verdict.kind === 'scored' ? verdict.score : null;
      scores.set(index, { ...base, verdict, score });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, next));
  return scores;
}

/** Whether turnwise leaves the verdict to the user's own scorer. */
export const isUnasked = (verdict: Verdict): boolean =>
  verdict.kind === 'unscored' &&
  (verdict.reason === 'scorer-failed' || verdict.reason === 'unknown-evaluator');

async function verdictOf(
  { prediction, item }: AnswerToScore,
  { plugins, ownCode, timeoutMs }: OwnScoring,
  signal: AbortSignal,
): Promise<Verdict> {
  // It is one of the user's.
  const evaluator = item.evaluator as Evaluator;
  const scorer = ownScorerOf(evaluator) as OwnScorer;
  const answer = prediction.answer === null ? '' : str(prediction.answer);
  const input = askedScore(prediction, item, evaluator, answer);
  if (scorer.kind === 'program') {
    const { command } = scorer;
    return ownVerdict(await ownCode.callProgram({ command, input, timeoutMs }, signal));
  }
  const { name } = scorer;
  const all = plugins.map(({ plugin }) => plugin);
  const plugin = pluginWith(all, 'scorers', name);
  const loaded = plugins.find((each) => each.plugin === plugin);
  if (loaded === undefined) return unscored('unknown-evaluator', `no plugin has a scorer ${name}`);
  return ownVerdict(
    await ownCode.callPlugin(
      {
        ...{ plugin: loaded.plugin, name, input, timeoutMs },
        code: () => Promise.resolve(loaded.code),
        what: 'scorer',
        context: { run: null },
      },
      signal,
    ),
  );
}
