import type { OutcomeKind, Result, Answerer } from '../agent/question-result.js';
import { keyText, type SampleKey } from '../ids.js';
import { evaluatorOf, type DatasetItem, type ScoringFields } from './dataset-item.js';
import { scorerName } from './execution-match/execution-options.js';
import { rulingOn, type Ruling, type RulingLine } from './ruling.js';
import { type Score } from './score.js';
import { onScale, scaleOf, type UnscoredReason, type Verdict, type Scale } from './verdict.js';

/** An item of a dataset or of a file of gold answers, with all its fields. */
export type GoldItem = Pick<DatasetItem, 'uuid' | 'tags' | 'anchor_pdf' | 'database'> &
  ScoringFields &
  Readonly<Record<string, unknown>>;

/** How a question ended: a result of a run, or what a file of predictions says. */
interface End {
  readonly outcome: { readonly kind: OutcomeKind };
  readonly asking?: number | undefined;
  readonly answeredBy?: readonly Answerer[] | undefined;
}

/** A question in one epoch, with all that is stored of its answer. Ledgers, comparisons, reports and exports read these. */
export interface Answer<Ended extends End = End, Item = GoldItem> extends SampleKey {
  readonly item: Item;
  /** Null if the question has not ended, or if a file of predictions does not contain it. */
  readonly result: Ended | null;
  /** Null as well if the question has not ended: a score is stored before its result. */
  readonly score: Score | null;
  /** What decides how the result counts. Absent where nobody has ruled on it. */
  readonly ruling?: Ruling | undefined;
}

/** An answer of a run. */
export type RunAnswer = Answer<Result, DatasetItem>;

/** Every question in every epoch, in the dataset's order. */
export function answersOf<Ended extends End & SampleKey, Item extends GoldItem>({
  items,
  epochs,
  results,
  scores,
  rulings = [],
}: {
  readonly items: readonly Item[];
  readonly epochs: number;
  readonly results: readonly Ended[];
  readonly scores: readonly Score[];
  /** The oldest first. @defaultValue none */
  readonly rulings?: readonly RulingLine[];
}): readonly Answer<Ended, Item>[] {
  const resultOf = new Map(results.map((result) => [keyText(result), result]));
  const scoreOf = new Map(scores.map((score) => [keyText(score), score]));
  const rulingOf = rulingOn(rulings);
  return items.flatMap((item) =>
    Array.from({ length: epochs }, (_, index) => {
      const key = { uuid: item.uuid, epoch: index + 1 };
      const result = resultOf.get(keyText(key)) ?? null;
      const score = (result && scoreOf.get(keyText(key))) ?? null;
      const ruling = result && rulingOf(result);
      return { ...key, item, result, score, ...(ruling && { ruling }) };
    }),
  );
}

/** The results of the questions that have ended. */
export const resultsIn = <Ended extends End>(
  answers: readonly { readonly result: Ended | null }[],
): readonly Ended[] => answers.flatMap(({ result }) => result ?? []);

export const outcomeOf = ({ result }: Pick<Answer, 'result'>): OutcomeKind | null =>
  result?.outcome.kind ?? null;

export const verdictOf = ({ score }: Pick<Answer, 'score'>): Verdict | null =>
  score?.verdict ?? null;

/** From 0 to 1, as it counts: a ruling may exclude an answer, or have it count as wrong. */
export function scoreOf({ score, ruling }: Pick<Answer, 'score' | 'ruling'>): number | null {
  if (ruling?.decision === 'exclude') return null;
  return ruling?.decision === 'wrong' ? 0 : (score?.score ?? null);
}

/** What scored the answer, or will, as `scores.jsonl` names it. Null if the item has no evaluator. */
export const scorerOfAnswer = ({ item, score }: Pick<Answer, 'item' | 'score'>): string | null =>
  score?.scorer ?? scorerName(evaluatorOf(item));

/** The kinds of answers that are counted. */
export type VerdictCount = 'scored' | UnscoredReason | 'not-ended' | 'excluded';

/** An answer without a scorer counts as `no-evaluator`, whatever its outcome and the ruling on it. */
export function verdictCountOf(answer: Answer): VerdictCount {
  if (scorerOfAnswer(answer) === null) return 'no-evaluator';
  if (answer.ruling?.decision === 'exclude') return 'excluded';
  if (answer.ruling?.decision === 'wrong') return 'scored';
  const verdict = verdictOf(answer);
  if (verdict === null) return 'not-ended';
  return verdict.kind === 'scored' ? 'scored' : verdict.reason;
}

/** The scale of an answer's score. Null if the item has no evaluator. */
export function scaleOfAnswer(answer: Pick<Answer, 'item' | 'score'>): Scale | null {
  const scorer = scorerOfAnswer(answer);
  return scorer === null ? null : scaleOf(scorer);
}

/** An answer's score in numbers of its scale. */
export function shownScore(answer: Answer): number | null {
  const score = scoreOf(answer);
  return score === null ? null : onScale(score, scaleOfAnswer(answer) ?? 'unit');
}
