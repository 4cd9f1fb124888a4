import { z } from 'zod';
import { settingsThatShapeReplies, modelConfigSchema } from '../../models/model-settings.js';
import { promptTextsSchema } from '../../models/prompt-file.js';
import { mean } from '../../statistics/means.js';
import { isLongForm, scaleOf, unscored, type Verdict } from '../verdict.js';

/** How the verdicts of several judges become one. */
export const combinations = ['majority', 'mean'] as const;
export type Combination = (typeof combinations)[number];

/**
 * Combines the verdicts of all judges. If some judges have none, there is a combined verdict only if it would be the same
 * for any verdicts of those judges.
 * @param verdicts - one for each judge, at least one
 */
export function panelVerdict(verdicts: readonly Verdict[], combination: Combination): Verdict {
  const [first] = verdicts;
  if (first === undefined) throw new Error('a panel has at least one judge');
  if (verdicts.length === 1) return first;
  const missing = verdicts.filter((verdict) => verdict.kind === 'unscored');
  const found = verdicts.filter((verdict) => verdict.kind === 'scored');
  const score = combination === 'mean' ? mean : majorityOf;
  const [least, most] = [0, 1].map((assumed) =>
    score([...found.map((verdict) => verdict.score), ...missing.map(() => assumed)]),
  );
  const [firstMissing] = missing;
  if (least === undefined || least === null || least !== most)
    return firstMissing ?? unscored('judges-tied');
  const raw = found.flatMap(({ rawScore }) => rawScore ?? []);
  const ofMiddle = found.find(({ score: own }) => own === least)?.rawScore;
  return {
    kind: 'scored',
    score: least,
    ...(raw.length > 0 && { rawScore: ofMiddle ?? mean(raw) }),
    rationale: verdicts.map(opinion).join('\n'),
  };
}

/** The median: for scores of 0 and 1 it is the majority. Null for a tie. */
function majorityOf(scores: readonly number[]): number | null {
  const sorted = scores.toSorted((a, b) => a - b);
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  const upper = sorted[Math.floor(sorted.length / 2)];
  return lower === undefined || lower !== upper ? null : lower;
}

const opinion = (verdict: Verdict, index: number): string =>
  verdict.kind === 'scored'
    ? `judge ${index + 1}, ${verdict.rawScore ?? verdict.score}: ${verdict.rationale ?? ''}`
    : `judge ${index + 1}: ${verdict.reason}`;

export const maxJudges = 9;

/** Who judges answers, and how. */
export const judgingConfigSchema = z.object({
  models: z.array(modelConfigSchema).min(1).max(maxJudges).readonly(),
  /** How several verdicts become one. */
  combination: z.enum(combinations),
  /** Calls about one part of an evaluator, before a judge counts as unreadable. Always 1 in strict mode. */
  tries: z.int().min(1).max(10),
  /** Whether an empty answer to a question with a long reference answer has the lowest score. Otherwise it is unscored. */
  judgeEmpty: z.boolean().optional(),
  /** Texts in the place of ours (`judgeTexts`). @defaultValue none */
  prompts: promptTextsSchema.optional(),
});
export type JudgingConfig = Readonly<z.infer<typeof judgingConfigSchema>>;

/** How one judge is asked. */
export type JudgingRules = Pick<JudgingConfig, 'tries' | 'judgeEmpty' | 'prompts'>;

/** Of long answers, matches are decided by majority and grades are averaged, whatever the configuration. */
export const combinationFor = (scorer: string, { combination }: JudgingConfig): Combination =>
  isLongForm(scorer) ? (scaleOf(scorer) === 'unit' ? 'majority' : 'mean') : combination;

/** How scores name their judges: `gpt-4o`, `gpt-4o + o3 (mean)`. */
export const panelName = ({ models, combination }: JudgingConfig): string =>
  `${models.map(({ name }) => name).join(' + ')}${models.length > 1 ? ` (${combination})` : ''}`;

/** The reference's sampling settings. The temperature is 0, so that equal answers get equal verdicts. */
export const defaultJudging = {
  combination: 'majority',
  tries: 3,
  temperature: 0,
  topP: 0.95,
  maxTokens: 1500,
} as const;

/** The settings that must not change when a run is continued, as all its scores must come from the same judges. The version of their prompts tells the texts. */
export function fixedJudging(judging: JudgingConfig): unknown {
  const { models, judgeEmpty = false, prompts: _, ...rules } = judging;
  return { models: models.map(settingsThatShapeReplies), judgeEmpty, ...rules };
}
