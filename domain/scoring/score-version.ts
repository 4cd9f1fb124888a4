import { z } from 'zod';
import { pluginWith, type Plugin } from '../agent/plugin.js';
import { exactJson } from '../formats/json.js';
import { keyText, type SampleKey } from '../ids.js';
import { mean } from '../statistics/means.js';
import { evaluatorOf, type Evaluator, type ScoringFields } from './dataset-item.js';
import { fixedJudging, type JudgingConfig } from './judging/judging-config.js';
import { evaluatorBy, ownName, ownNamed, ownScorerOf } from './own-scorer.js';
import { type Score } from './score.js';
import {
  onScale,
  scaleOf,
  scalesIn,
  type UnscoredReason,
  type Verdict,
  type Scale,
} from './verdict.js';
import { scoringModes } from './scorer-options.js';

/**
 * A version of a run's scores. `scorer`, `own`, `code` and `judging` are its specification: beside the items and their
 * evaluators they decide its verdicts.
 */
const scoreVersionSchema = z.object({
  /** Version 1 is from the run itself. */
  version: z.int().min(1),
  scorer: z.enum(scoringModes),
  /** The `ownName` of the user's own scorer that took the place of all evaluators. */
  own: z.string().optional(),
  /** What each scorer of the user's is made of, by its `ownName`. */
  code: z.record(z.string(), z.string()),
  /** `judgingFacts`. Null without judges. */
  judging: z.unknown(),
  /** The name of the panel of judges. Null if there is none. */
  judge: z.string().nullable(),
  /** ISO 8601. Null if the run had not ended. */
  scoredAt: z.string().nullable(),
  /** The version of turnwise. */
  turnwise: z.string(),
});
export type ScoreVersion = Readonly<z.infer<typeof scoreVersionSchema>>;

/** `scores/versions.json`: oldest first. `scores.jsonl` is the latest version. */
export const scoreVersionsSchema = z.array(scoreVersionSchema).min(1);

/** `strict scorer, judged by gpt-4o`. */
export const versionText = ({ scorer, own, judge }: ScoreVersion): string =>
  [own ?? `${scorer} scorer`, ...(judge === null ? [] : [`judged by ${judge}`])].join(', ');

/** The settings of judges and the version of their prompts. */
export const judgingFacts = (config: JudgingConfig, prompts: string): unknown =>
  JSON.parse(JSON.stringify([prompts, fixedJudging(config)]));

/**
 * What the user's scorers of items are made of.
 * @param files - the SHA-256 of the files of programs, by their names in the commands
 */
export const codeOf = (
  items: readonly { readonly evaluator?: Evaluator | undefined }[],
  plugins: readonly Plugin[],
  files: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    items.flatMap(({ evaluator }) => {
      const scorer = ownScorerOf(evaluator);
      if (scorer === null) return [];
      const named = Object.entries(files).filter(([file]) => ownName(scorer).includes(file));
      const plugin = scorer.kind === 'plugin' && pluginWith(plugins, 'scorers', scorer.name);
      return [[ownName(scorer), plugin ? plugin.sha256 : named.toSorted().join(' ')]];
    }),
  );

/** Equal texts, equal specifications. */
export const specificationText = ({ scorer, own, code, judging }: ScoreVersion): string =>
  JSON.stringify([scorer, own, Object.entries(code).toSorted(), judging]);

/** Equal texts, equal verdicts on an answer to the item. */
function decidingText(version: ScoreVersion, item: ScoringFields): string {
  const { scorer, own: name, code, judging } = version;
  const evaluator = name ? evaluatorBy(ownNamed(name), item.evaluator) : evaluatorOf(item);
  const own = ownScorerOf(evaluator);
  const by = own === null ? [scorer, judging] : [code[ownName(own)]];
  return exactJson([evaluator, ...by]);
}

/** A verdict for these reasons is none: what was missing may be there the next time. */
const openReasons = ['needs-judge', 'judge-unavailable', 'scorer-failed'] as const;
const isOpen: ReadonlySet<UnscoredReason> = new Set(openReasons);

/** Whether a line of the scores is of a version. */
export const isOf = ({ version }: ScoreVersion, score: Score): boolean =>
  (score.version ?? 1) === version;

/**
 * The scores that a scoring for a version would find again, by the `keyText` of their samples.
 * @param stored - of all versions, oldest first
 */
export function scoresToReuse(
  next: ScoreVersion,
  items: readonly (ScoringFields & { readonly uuid: string })[],
  stored: readonly (readonly [ScoreVersion, readonly Score[]])[],
): ReadonlyMap<string, Score> {
  const itemOf = new Map(items.map((item) => [item.uuid, item]));
  const reusable = stored.flatMap(([version, scores]) =>
    scores.filter((score) => {
      const [item, { verdict }] = [itemOf.get(score.uuid), score];
      if (item === undefined || !isOf(version, score)) return false;
      if (verdict.kind === 'unscored' && isOpen.has(verdict.reason)) return false;
      return decidingText(version, item) === decidingText(next, item);
    }),
  );
  return new Map(reusable.map((score) => [keyText(score), score]));
}

/** The differences of two scorings of the same answers. */
export interface ScoreDifferences {
  /** The number of answers with equal verdicts. */
  readonly same: number;
  readonly changed: readonly ScoreDifference[];
  /** One for each scale that either scoring uses. */
  readonly means: readonly ScaleMeans[];
}

export interface ScoreDifference extends SampleKey {
  /** Null if this scoring does not contain the answer. */
  readonly before: Verdict | null;
  readonly after: Verdict | null;
  readonly scale: Scale;
}

/** The means of two scorings on one scale. */
interface ScaleMeans {
  readonly scale: Scale;
  /** Over the answers with a score. Null if there are none. */
  readonly before: number | null;
  readonly after: number | null;
}

/** Verdicts that differ only in their rationale count as equal. */
export function scoreDifferences(
  before: readonly Score[],
  after: readonly Score[],
): ScoreDifferences {
  const earlier = new Map(before.map((score) => [keyText(score), score]));
  const later = new Map(after.map((score) => [keyText(score), score]));
  const keys = new Map([...before, ...after].map((score) => [keyText(score), score]));
  const pairs = [...keys].map(([name, { uuid, epoch, scorer }]) => ({
    uuid,
    epoch,
    scale: scaleOf(scorer),
    before: earlier.get(name)?.verdict ?? null,
    after: later.get(name)?.verdict ?? null,
  }));
  const changed = pairs.filter((pair) => findingOf(pair.before) !== findingOf(pair.after));
  return {
    same: pairs.length - changed.length,
    changed,
    means: scalesIn([...before, ...after].map(({ scorer }) => scaleOf(scorer))).map((scale) => ({
      scale,
      before: meanOf(before, scale),
      after: meanOf(after, scale),
    })),
  };
}

const findingOf = (verdict: Verdict | null): number | string | null =>
  verdict === null ? null : verdict.kind === 'scored' ? verdict.score : verdict.reason;

function meanOf(scores: readonly Score[], scale: Scale): number | null {
  const numbers = scores.flatMap(({ score, scorer }) =>
    score === null || scaleOf(scorer) !== scale ? [] : [onScale(score, scale)],
  );
  return numbers.length === 0 ? null : mean(numbers);
}
