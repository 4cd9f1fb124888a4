import { str } from '../../../domain/formats/python/text.js';
import { jsonIn } from '../../../domain/formats/json.js';
import { pluginWith } from '../../../domain/agent/plugin.js';
import { evaluatorSchema, type Evaluator } from '../../../domain/scoring/dataset-item.js';
import {
  askedScore,
  evaluatorBy,
  ownScorerOf,
  ownVerdict,
  type OwnScorer,
} from '../../../domain/scoring/own-scorer.js';
import { scorePrediction, type AnswerToScore } from '../../../domain/scoring/predictions.js';
import type { Score } from '../../../domain/scoring/score.js';
import type { ScoringMode } from '../../../domain/scoring/scorer-options.js';
import { unscored, type Verdict } from '../../../domain/scoring/verdict.js';
import type { LoadedPlugin } from '../../../plugins/load-plugins.js';
import type { OwnCode } from '../../../plugins/own-code.js';

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
      const item = jsonIn(line);
      if (typeof item !== 'object' || item === null || Array.isArray(item)) return line;
      const before = evaluatorSchema.safeParse('evaluator' in item ? item.evaluator : null).data;
      return JSON.stringify({ ...item, evaluator: evaluatorBy(scorer, before) });
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
export async function ownScores(
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
