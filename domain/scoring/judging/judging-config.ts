import { z } from 'zod';
import { settingsThatShapeReplies, modelConfigSchema } from '../../models/model-settings.js';
import { unscored, type Verdict } from '../verdict.js';

/** How the verdicts of several judges become one. */
export const combinations = ['majority', 'mean'] as const;
export type Combination = (typeof combinations)[number];

/**
 * One verdict of those of all judges. Who said nothing readable is not counted out: only where the verdict would be the
 * same whatever they had said is there one.
 * @param verdicts - one a judge, at least one
 */
export function panelVerdict(verdicts: readonly Verdict[], combination: Combination): Verdict {
  const [first] = verdicts;
  if (first === undefined) throw new Error('a panel has at least one judge');
  if (verdicts.length === 1) return first;
  const missing = verdicts.filter((verdict) => verdict.kind === 'unscored');
  const found = verdicts.filter((verdict) => verdict.kind === 'scored');
  const score = combination === 'mean' ? meanOf : majorityOf;
  const [least, most] = [0, 1].map((unsaid) =>
    score([...found.map((verdict) => verdict.score), ...missing.map(() => unsaid)]),
  );
  const [lost] = missing;
  if (least === undefined || least === null || least !== most)
    return lost ?? unscored('judges-tied');
  const raw = found.flatMap(({ rawScore }) => rawScore ?? []);
  return {
    kind: 'scored',
    score: least,
    ...(raw.length > 0 && { rawScore: least * 10 }),
    rationale: verdicts.map(opinion).join('\n'),
  };
}

const meanOf = (scores: readonly number[]): number =>
  scores.reduce((sum, score) => sum + score, 0) / scores.length;

/** What most judges found, or of grades the middle one; null for a tie. */
function majorityOf(scores: readonly number[]): number | null {
  const sorted = scores.toSorted((a, b) => a - b);
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  const upper = sorted[Math.floor(sorted.length / 2)];
  return lower === undefined || lower !== upper ? null : lower;
}

const opinion = (verdict: Verdict, index: number): string =>
  verdict.kind === 'scored'
    ? `judge ${index + 1}, ${verdict.score}: ${verdict.rationale ?? ''}`
    : `judge ${index + 1}: ${verdict.reason}`;

export const mostJudges = 9;

/** Who judges answers, and how. */
export const judgingConfigSchema = z.object({
  models: z.array(modelConfigSchema).min(1).max(mostJudges).readonly(),
  /** How several verdicts become one. */
  combination: z.enum(combinations),
  /** Calls about one matter before a judge counts as unreadable. Strictly it is one. */
  tries: z.int().min(1).max(10),
});
export type JudgingConfig = Readonly<z.infer<typeof judgingConfigSchema>>;

/** How scores name their judges: `gpt-4o`, `gpt-4o + o3 (mean)`. */
export const panelName = ({ models, combination }: JudgingConfig): string =>
  panelText(
    models.map(({ name }) => ({ model: name })),
    combination,
  );

/** The same of judges that are known by other names. */
export const panelText = (
  judges: readonly { readonly model: string }[],
  combination: JudgingConfig['combination'],
): string =>
  `${judges.map(({ model }) => model).join(' + ')}${judges.length > 1 ? ` (${combination})` : ''}`;

/** Without chance, so that the same answer is judged alike. The sampling is the reference's (evaluation-functions.md §5.1). */
export const defaultJudging = {
  combination: 'majority',
  tries: 3,
  temperature: 0,
  topP: 0.95,
  maxTokens: 1500,
} as const;

/** What must stay the same while a run is continued: its scores are to come from the same judges. */
export const fixedJudging = ({ models, combination, tries }: JudgingConfig): unknown => ({
  models: models.map(settingsThatShapeReplies),
  combination,
  tries,
});
