import { z } from 'zod';
import { fixedModel } from '../models/fixed-model.js';
import { modelConfigSchema } from '../models/model-config.js';
import { combinations } from './panel.js';

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
  models: models.map(fixedModel),
  combination,
  tries,
});
