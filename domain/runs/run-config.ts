import { z } from 'zod';
import { actionFormatNames } from '../agent/actions/action-format.js';
import { methodNames } from '../agent/methods.js';
import { observationFormatNames } from '../agent/observations/table-formats.js';
import { capSchema, noCap } from '../budget/amount.js';
import { runIdSchema } from '../ids.js';
import {
  settingsThatShapeReplies,
  modelConfigSchema,
  type ModelConfig,
} from '../models/model-settings.js';
import { fixedJudging, judgingConfigSchema } from '../scoring/judging/judging-config.js';

/**
 * Questions in flight; `auto`: so many that the provider's limit is what binds, with calls as it takes them. Made anew
 * for each use: workflows share this module frozen (docs/decisions/0008), and a schema completes itself when it is first
 * used.
 */
export const concurrencySchema = (): z.ZodUnion<[z.ZodLiteral<'auto'>, z.ZodInt]> =>
  z.union([z.literal('auto'), z.int().min(1).max(2000)], { error: 'is auto, or 1 to 2000' });
export type Concurrency = z.infer<ReturnType<typeof concurrencySchema>>;

/** At 10 calls a second, as many as have a call under way when calls take 20 seconds. */
const autoWindow = 200;

/** Questions in flight at most. */
export const questionWindow = (concurrency: Concurrency): number =>
  concurrency === 'auto' ? autoWindow : concurrency;

/**
 * How a run is done. What can change an answer is fixed at its start (`fixedConfig`);
 * the rest may differ each time it is continued.
 */
export const runConfigSchema = z.object({
  method: z.enum(methodNames),
  model: modelConfigSchema,
  /** Tries of one model call before its question ends as `infra-error`. */
  modelAttempts: z.int().min(1).max(1000),
  /** One SQL statement or search; then the model is told that it took too long. */
  toolTimeoutMs: z.int().min(1).max(120_000),
  maxTurns: z.int().min(1).max(100),
  /** Turns of history sent beside the system and task messages; 0 sends none. */
  windowSize: z.int().min(0).max(100),
  /** What a call of the model may hold, completion included: older turns are left out of it. Null where nobody has said it. */
  contextTokens: z.int().positive().nullable().default(null),
  /** How the model writes its actions; single-shot methods have none. */
  actionFormat: z.enum(actionFormatNames).default('markdown'),
  /** How the model is shown rows and hits. */
  observationFormat: z.enum(observationFormatNames).default('json'),
  /** Parse and render exactly as the reference does, its weaknesses included. */
  strict: z.boolean(),
  epochs: z.int().min(1).max(1000),
  concurrency: concurrencySchema(),
  /** What the run may cost. */
  budget: capSchema.default(noCap),
  /** What each question may cost; one that cannot go on within it ends as `budget-stop`. */
  questionBudget: capSchema.default(noCap),
  /** Of one question, from its first turn on, pauses apart; then it ends as `deadline`. Null where there is no limit. */
  questionTimeLimitMs: z.int().positive().nullable().default(null),
  /** When what is left of the run ends as `deadline`: ISO 8601. */
  deadline: z.iso.datetime({ offset: true }).nullable().default(null),
  /** What becomes of a question all of whose tries have failed for a reason that may pass. */
  onFailure: z.enum(['end', 'wait']).default('end'),
  /** Who decides what no comparison can; null where nobody does. */
  judging: judgingConfigSchema.nullable().default(null),
  /** The run whose replies are repeated; null where a model is asked. */
  replay: runIdSchema.nullable().default(null),
});
export type RunConfig = Readonly<z.infer<typeof runConfigSchema>>;

/** The reference's sampling settings, window and cap (hybrid-agent.md §4.1). */
export const defaultRunConfig = {
  method: 'hybrid_react',
  modelAttempts: 8,
  toolTimeoutMs: 60_000,
  maxTurns: 20,
  windowSize: 5,
  contextTokens: null,
  actionFormat: 'markdown',
  observationFormat: 'json',
  strict: false,
  epochs: 1,
  concurrency: 20,
  budget: noCap,
  questionBudget: noCap,
  questionTimeLimitMs: null,
  deadline: null,
  onFailure: 'end',
  judging: null,
  replay: null,
  model: {
    temperature: 0.7,
    topP: 0.95,
    maxTokens: 1500,
    seed: null,
    reasoningEffort: null,
    systemRole: 'system',
    tokenLimitField: null,
    structuredReplies: false,
    extraBody: {},
    timeoutMs: 300_000,
    cache: false,
    price: null,
  },
} as const;

/** Every model that a run pays for: its own, unless its replies are known, and those that judge. */
export const paidModels = ({
  model,
  judging,
  replay,
}: Pick<RunConfig, 'model' | 'judging' | 'replay'>): readonly ModelConfig[] => [
  ...(replay === null ? [model] : []),
  ...(judging?.models ?? []),
];

/** The part of a configuration that must stay the same while a run is continued. */
export function fixedConfig(config: RunConfig): unknown {
  const { method, model, maxTurns, windowSize, contextTokens, strict, epochs } = config;
  const { actionFormat, observationFormat, judging, replay } = config;
  return {
    method,
    model: settingsThatShapeReplies(model),
    maxTurns,
    windowSize,
    contextTokens,
    actionFormat,
    observationFormat,
    strict,
    epochs,
    judging: judging && fixedJudging(judging),
    replay,
  };
}
