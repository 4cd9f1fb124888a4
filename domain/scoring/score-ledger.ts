import { didYouMean } from '../formats/did-you-mean.js';
import { UserError } from '../user-error.js';
import { onlyUpstream, type OutcomeKind } from '../agent/question-result.js';
import { exactJson } from '../formats/json.js';
import { counted, decimals } from '../formats/text.js';
import { countsOf, groupsOf, sum } from '../statistics/means.js';
import { executionMatch } from './execution-match/execution-options.js';
import { decisionNames, decisions, type Decision } from './ruling.js';
import { onScale, scalesIn, type Scale } from './verdict.js';
import {
  epochScores,
  estimateOf,
  estimateOnScale,
  clusterOf,
  type EpochScores,
  type Estimate,
} from './score-estimate.js';
import {
  outcomeOf,
  scaleOfAnswer,
  scoreOf,
  scorerOfAnswer,
  verdictCountOf,
  type Answer,
  type VerdictCount,
} from './answer.js';

/** The scores of a run. Outcomes and verdicts each add up to the number of samples. */
export interface ScoreLedger {
  readonly samples: number;
  /** One for each scale of the run's questions, since no mean covers two. At least one. */
  readonly headlines: readonly [Headline, ...Headline[]];
  readonly outcomes: Readonly<Partial<Record<OutcomeKind | 'not-ended', number>>>;
  readonly verdicts: Readonly<Partial<Record<VerdictCount, number>>>;
  /** By `tags`, by `evaluator.eval_func`, by who answered, and by each requested field. */
  readonly groups: readonly FieldScores[];
  /** Of the scores from 0 to 1. Null for a single epoch. */
  readonly epochs: EpochScores | null;
}

export interface FieldScores {
  readonly field: string;
  readonly scores: readonly GroupScore[];
}

/** Its groups are what scored the answers, as `scores.jsonl` names them. */
const scorerField = 'evaluator.eval_func';
/** Its groups are the upstreams that gave all replies of a question, and the questions that several answered. */
const upstreamField = 'answered by';

const defaultFields = ['tags', scorerField, upstreamField];

/** @param fields - further fields of the dataset's items; a dot leads into an object */
export function scoreLedger(
  samples: readonly Answer[],
  fields: readonly string[] = [],
): ScoreLedger {
  return {
    samples: samples.length,
    headlines: headlinesOf(samples),
    outcomes: kindCounts(samples.map((answer) => outcomeOf(answer) ?? 'not-ended')),
    verdicts: kindCounts(samples.map(verdictCountOf)),
    groups: [...new Set([...defaultFields, ...fields])].map((field) => ({
      field,
      scores: groupScores(samples, field),
    })),
    epochs: epochScores(samples),
  };
}

// `countsOf` has no other keys than the kinds.
const kindCounts = <Kind extends string>(kinds: readonly Kind[]): Partial<Record<Kind, number>> =>
  Object.fromEntries(countsOf(kinds)) as Partial<Record<Kind, number>>;

interface GroupScore extends Headline {
  readonly group: string;
}

/** The group of items without the field. */
const noValue = '(none)';

/**
 * Groups samples by a field of their items, in order of first appearance. A sample whose field is a list belongs to the
 * group of each member, so the groups may overlap. A group of questions with two scales occurs twice.
 */
export function groupScores(samples: readonly Answer[], field: string): readonly GroupScore[] {
  const members = samples.flatMap((sample) =>
    fieldValues(sample, field).map((group) => ({ group, sample })),
  );
  return [...groupsOf(members, ({ group }) => group)].flatMap(([group, own]) =>
    headlinesOf(own.map(({ sample }) => sample)).map((headline) => ({ group, ...headline })),
  );
}

/** The distinct values of a field of an answer's item, as texts. */
export function fieldValues(
  answer: Pick<Answer, 'item' | 'score' | 'result'>,
  field: string,
): readonly string[] {
  if (field === scorerField) return [scorerOfAnswer(answer) ?? noValue];
  if (field === upstreamField) {
    const upstream = onlyUpstream(answer.result?.answeredBy ?? []);
    return upstream === null ? [] : [upstream];
  }
  const value = fieldOf(answer.item, field);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.length === 0 ? [noValue] : [...new Set(values.map(textOf))];
}

const fieldOf = (item: Answer['item'], field: string): unknown =>
  field
    .split('.')
    .reduce<unknown>(
      (inner, key) =>
        typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
          ? (inner as Readonly<Record<string, unknown>>)[key]
          : undefined,
      item,
    );

/** @throws UserError for a field that no question has, as a misspelt one */
export function requireFields(
  answers: readonly Pick<Answer, 'item'>[],
  fields: readonly string[],
): void {
  for (const field of fields) {
    if (defaultFields.includes(field)) continue;
    if (answers.some(({ item }) => fieldOf(item, field) !== undefined)) continue;
    const names = new Set(answers.flatMap(({ item }) => Object.keys(item)));
    throw new UserError(`no question has a field '${field}'${didYouMean(field, names)}`);
  }
}

function textOf(value: unknown): string {
  if (value === undefined || value === null || value === '') return noValue;
  return typeof value === 'string' ? value : exactJson(value);
}

/** The mean score of samples of one scale with all rulings, and the number of samples without a score. */
export interface Headline {
  /** That of `score` and `bounds`. */
  readonly scale: Scale;
  readonly samples: number;
  /** Samples with an evaluator that are not excluded. */
  readonly scorable: number;
  readonly scored: number;
  /** Scorable samples without a score: in flight, not judged, or failed for reasons outside the model. */
  readonly unresolved: number;
  /** Over the scored samples. Null if there are none, or if they are scored by rules that call different results equal. */
  readonly score: Estimate | null;
  /**
   * The mean if all unresolved samples had the scale's lowest score, and if all had the highest. Null without scorable
   * samples or such a mean.
   */
  readonly bounds: { readonly worst: number; readonly best: number } | null;
  readonly verdicts: ScoreLedger['verdicts'];
  /** Absent without any on samples with an evaluator. */
  readonly rulings?: {
    readonly counts: Readonly<Partial<Record<Decision, number>>>;
    /** The headline as it would be without any. */
    readonly without: Headline;
  };
}

/** `0.620 with 3 rulings (2 excluded, 1 counted as wrong); 0.600 without`. Null without any. */
export function rulingsText({ score, rulings }: Headline): string | null {
  if (rulings === undefined) return null;
  const counts = decisions.map((each) => [rulings.counts[each] ?? 0, decisionNames[each]] as const);
  const parts = counts.filter(([count]) => count > 0).map((part) => part.join(' '));
  const all = counted(sum(counts.map(([count]) => count)), 'ruling');
  const without = rulings.without.score;
  return `${decimals(score?.mean)} with ${all} (${parts.join(', ')}); ${decimals(without?.mean)} without`;
}

/** One headline for each scale. Samples without an evaluator are counted in the first one. */
export function headlinesOf(samples: readonly Answer[]): readonly [Headline, ...Headline[]] {
  const [first, ...others] = scalesIn(samples.map(scaleOfAnswer));
  const headline = (scale: Scale): Headline =>
    headlineOf(
      samples.filter((sample) => (scaleOfAnswer(sample) ?? first) === scale),
      scale,
    );
  return [headline(first), ...others.map(headline)];
}

/** @param samples - of one scale, or without an evaluator */
function headlineOf(samples: readonly Answer[], scale: Scale): Headline {
  const scorable = samples.filter((sample) => {
    const count = verdictCountOf(sample);
    return count !== 'no-evaluator' && count !== 'excluded';
  });
  const decided = samples.flatMap((sample) =>
    sample.ruling && scorerOfAnswer(sample) !== null ? [sample.ruling.decision] : [],
  );
  const scores = scorable.flatMap((sample) => {
    const score = scoreOf(sample);
    return score === null ? [] : [{ score, cluster: clusterOf(sample.item) }];
  });
  const estimate = estimateOf(scores);
  const total = sum(scores.map(({ score }) => score));
  const unresolved = scorable.length - scores.length;
  const rules = new Set(
    scorable.map(scorerOfAnswer).filter((scorer) => scorer?.startsWith(`${executionMatch}(`)),
  );
  const hasMean = rules.size <= 1;
  return {
    scale,
    samples: samples.length,
    scorable: scorable.length,
    scored: scores.length,
    unresolved,
    score: estimate && hasMean ? estimateOnScale(estimate, scale) : null,
    bounds:
      scorable.length === 0 || !hasMean
        ? null
        : {
            worst: onScale(total / scorable.length, scale),
            best: onScale((total + unresolved) / scorable.length, scale),
          },
    verdicts: kindCounts(samples.map(verdictCountOf)),
    ...(decided.length > 0 && {
      rulings: {
        counts: kindCounts(decided),
        without: headlineOf(
          samples.map((sample) => ({ ...sample, ruling: undefined })),
          scale,
        ),
      },
    }),
  };
}
