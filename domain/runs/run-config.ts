import { z } from 'zod';
import { actionFormatNames } from '../agent/actions/action.js';
import { defaultShownLimits } from '../agent/database-qa/prompts.js';
import { observationFormatNames } from '../agent/observations/table-formats.js';
import { pluginSchema } from '../agent/plugin.js';
import { capSchema, noCap, type Cap } from '../budget/amount.js';
import { runIdOf, runIdSchema, type RunId } from '../ids.js';
import {
  settingsThatShapeReplies,
  modelConfigSchema,
  type ModelConfig,
} from '../models/model-settings.js';
import { promptTextsSchema } from '../models/prompt-file.js';
import { fixedJudging, judgingConfigSchema } from '../scoring/judging/judging-config.js';
import { defaultHoldAfter, type RunState } from './run-state.js';

const mostInFlight = 2000;

/**
 * The number of questions in flight. `auto`: as many as the provider's limits allow. A function, because workflows share this
 * module frozen (docs/explanation/decisions/0008), and zod changes a schema when it is first used.
 */
const concurrencySchema = (): z.ZodUnion<[z.ZodLiteral<'auto'>, z.ZodInt]> =>
  z.union([z.literal('auto'), z.int().min(1).max(mostInFlight)], {
    error: 'is auto, or 1 to 2000',
  });
type Concurrency = z.infer<ReturnType<typeof concurrencySchema>>;

/** The questions in flight of a run that is not told how many: with batches, all that fit into one. */
export const usualConcurrency = (inBatches = false): number =>
  inBatches ? mostInFlight : defaultRunConfig.concurrency;

/** The questions in flight for `auto`: enough for 10 calls a second that take 20 seconds each. */
const autoWindow = 200;

/** The highest number of questions in flight. */
export const questionWindow = (concurrency: Concurrency): number =>
  concurrency === 'auto' ? autoWindow : concurrency;

/** The configuration of a run. `fixedConfig` is the part that can change answers. The rest may change when a run is continued. */
export const runConfigSchema = z.object({
  /** Of turnwise, or of a plugin. */
  method: z.string().min(1),
  /** The user's own modules. */
  plugins: z.array(pluginSchema).readonly().default([]),
  /** The command of the agent of method `agent-program`; null for other methods. */
  agentProgram: z.string().min(1).nullable().default(null),
  model: modelConfigSchema,
  /** Attempts of one model call before its question ends as `infra-error`. */
  modelAttempts: z.int().min(1).max(1000),
  /** The time limit of a SQL statement or search. The model gets the timeout as its observation. */
  toolTimeoutMs: z.int().min(1).max(120_000),
  maxTurns: z.int().min(1).max(100),
  /** The number of earlier turns in a prompt, after the system and task messages. */
  windowSize: z.int().min(0).max(100),
  /** The context length of the model, completion included. Older turns are left out to fit. Null if unknown. */
  contextTokens: z.int().positive().nullable().default(null),
  /** How the model writes its actions. Single-shot methods have none. */
  actionFormat: z.enum(actionFormatNames).default('markdown'),
  /** The format of rows and hits in observations. */
  observationFormat: z.enum(observationFormatNames).default('json'),
  /** Whether to parse and render exactly as the reference, with its defects. */
  strict: z.boolean(),
  /** Whether tasks name the papers of `reference_pdf`. */
  references: z.boolean().default(false),
  /** Texts in the place of ours (`agentTexts`). */
  prompts: promptTextsSchema.default({}),
  /** Rounds in which the failed queries of method `sequential` are repaired. */
  sqlRepairs: z.int().min(0).max(5).default(0),
  /** What database methods are shown of a result. */
  shownResults: z
    .object({ rows: z.int().min(1).max(10_000), tokens: z.int().min(50).max(1_000_000) })
    .default(defaultShownLimits),
  epochs: z.int().min(1).max(1000),
  concurrency: concurrencySchema(),
  /** Whether the first call of a prefix that its provider caches goes ahead of the others. */
  warmFirst: z.boolean().default(true),
  /** The cap on the cost of the run. */
  budget: capSchema.default(noCap),
  /** The cap on the cost of each question. A question that would exceed it ends as `budget-stop`. */
  questionBudget: capSchema.default(noCap),
  /** The time limit of a question, without pauses. It then ends as `deadline`. Null means no limit. */
  questionTimeLimitMs: z.int().positive().nullable().default(null),
  /** When all questions that have not ended end as `deadline`: ISO 8601. */
  deadline: z.iso.datetime({ offset: true }).nullable().default(null),
  /** Whether a question ends or waits when its retries are exhausted for a reason outside of it. */
  onFailure: z.enum(['end', 'wait']).default('wait'),
  /** Equal failures in a row that hold the run. */
  holdAfter: z.int().min(1).default(defaultHoldAfter),
  /** The judges. Null for none. */
  judging: judgingConfigSchema.nullable().default(null),
  /** The run whose replies are used again. Null if the model is asked. */
  replay: runIdSchema.nullable().default(null),
});
export type RunConfig = Readonly<z.infer<typeof runConfigSchema>>;

/** The sampling settings, window and turn limit are the reference's. */
export const defaultRunConfig = {
  method: 'hybrid_react',
  plugins: [],
  agentProgram: null,
  modelAttempts: 5,
  toolTimeoutMs: 60_000,
  maxTurns: 20,
  windowSize: 5,
  contextTokens: null,
  actionFormat: 'markdown',
  observationFormat: 'json',
  strict: false,
  references: false,
  prompts: {},
  sqlRepairs: 0,
  shownResults: defaultShownLimits,
  epochs: 1,
  concurrency: 20,
  warmFirst: true,
  budget: noCap,
  questionBudget: noCap,
  questionTimeLimitMs: null,
  deadline: null,
  onFailure: 'wait',
  holdAfter: defaultHoldAfter,
  judging: null,
  replay: null,
  model: {
    api: 'chat',
    temperature: 0.7,
    topP: 0.95,
    maxTokens: 1500,
    seed: null,
    reasoningEffort: null,
    systemRole: 'system',
    tokenLimitField: null,
    structuredReplies: false,
    stream: false,
    extraBody: {},
    timeoutMs: 300_000,
    cache: false,
    price: null,
  },
} as const;

/** The models that a run calls: its own, except in a replay, and its judges. */
export const paidModels = ({
  model,
  judging,
  replay,
}: Pick<RunConfig, 'model' | 'judging' | 'replay'>): readonly ModelConfig[] => [
  ...(replay === null ? [model] : []),
  ...(judging?.models ?? []),
];

/** How long a batch of the run is waited with; null for a run that sends all its calls at once. */
export function batchPauseOf(config: Parameters<typeof paidModels>[0]): number | null {
  const pauses = paidModels(config).flatMap(({ batch }) => batch?.pauseMs ?? []);
  return pauses.length === 0 ? null : Math.max(...pauses);
}

/** The settings that must not change when a run is continued. */
export function fixedConfig(config: RunConfig): unknown {
  const { plugins, modelAttempts, toolTimeoutMs, concurrency, warmFirst, ...others } = config;
  const { budget, questionBudget, questionTimeLimitMs, deadline, onFailure, holdAfter, ...fixed } =
    others;
  const { method, model, judging, replay, ...rest } = fixed;
  return {
    method,
    model: settingsThatShapeReplies(model),
    ...rest,
    judging: judging && fixedJudging(judging),
    replay,
  };
}

/** What a run is asked, before anything is read. */
interface AskedRun {
  /** Its path, relative to the home, so that both can be moved together. */
  readonly dataset: string;
  /** The questions where no file has them. @defaultValue none */
  readonly questions?: string;
  /** As `part` of its manifest. @defaultValue all questions */
  readonly part?: unknown;
  readonly store: string | undefined;
  readonly config: RunConfig;
}

/**
 * The id of a run that is given none: the same request has the same id on every day, and what asks other questions, or asks
 * them otherwise, has another one. Judges and scorers change no answer: they are no part of it.
 */
export function defaultRunId({ dataset, questions, part, store, config }: AskedRun): RunId {
  const { method, model, plugins, replay } = config;
  if (replay !== null) return runIdSchema.parse(`${replay.slice(0, 73)}-replay`);
  const name = (path: string): string => path.replace(/^.*[\\/]/, '');
  const usual = {
    ...defaultRunConfig,
    method,
    model: { ...defaultRunConfig.model, name: model.name, baseUrl: model.baseUrl },
  };
  // Only what differs from the defaults, so that a setting of a later version changes no id.
  const settings = (of: RunConfig): readonly string[] =>
    settingsIn('', fixedConfig({ ...of, judging: null }));
  const own = new Set(settings(usual));
  const others = JSON.stringify([
    ...[dataset, questions, part, plugins.map(({ path }) => name(path))],
    settings(config).filter((setting) => !own.has(setting)),
  ]);
  const names = [name(dataset).replace(/(?<=.)\.\w+$/, ''), method, model.name, store ?? []].flat();
  return runIdOf(names, others);
}

/** Each setting at any depth, as its path and its value. */
const settingsIn = (path: string, value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => settingsIn(`${path}.${key}`, inner))
    : [`${path}: ${JSON.stringify(value)}`];

/**
 * Changes of a run in progress. Absent settings stay the same, and null removes a limit. A function, because workflows share
 * this module frozen (docs/explanation/decisions/0008), and zod changes a schema when it is first used.
 */
const tuningSchema = () =>
  z.strictObject({
    concurrency: concurrencySchema().optional(),
    budgetUsd: z.number().positive().nullable().optional(),
    budgetTokens: z.int().positive().nullable().optional(),
    /** ISO 8601. */
    deadline: z.iso.datetime({ offset: true }).nullable().optional(),
  });
export type Tuning = Readonly<z.infer<ReturnType<typeof tuningSchema>>>;

/** A limit as a form shows it, with its present value. */
export interface ShownLimit {
  readonly name: string;
  readonly help: string;
  readonly value: string;
}

/** The reason to reject a tuning, in one sentence. Null if it is valid. */
export function tuningProblem(tuning: unknown, nowMs: number): string | null {
  const parsed = tuningSchema().safeParse(tuning);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `${issue?.path.join('.') ?? 'the tuning'}: ${issue?.message ?? 'is malformed'}`;
  }
  if (Object.keys(parsed.data).length === 0) return 'nothing is to be tuned';
  const { deadline } = parsed.data;
  if (typeof deadline === 'string' && Date.parse(deadline) <= nowMs) {
    return `the deadline ${deadline} is past`;
  }
  return null;
}

export function tuned(state: RunState, tuning: Tuning): RunState {
  const { concurrency, deadline } = tuning;
  return {
    ...state,
    concurrency: concurrency === undefined ? state.concurrency : questionWindow(concurrency),
    ledger: { ...state.ledger, cap: tunedCap(state.ledger.cap, tuning) },
    deadline:
      deadline === undefined ? state.deadline : deadline === null ? null : Date.parse(deadline),
  };
}

/** Applies a tuning to a configuration, so that it also holds when the run is continued later. */
export const tunedConfig = (config: RunConfig, tuning: Tuning): RunConfig => ({
  ...config,
  concurrency: tuning.concurrency ?? config.concurrency,
  budget: tunedCap(config.budget, tuning),
  deadline: tuning.deadline === undefined ? config.deadline : tuning.deadline,
});

const tunedCap = (cap: Cap, { budgetUsd, budgetTokens }: Tuning): Cap => ({
  usd: budgetUsd === undefined ? cap.usd : budgetUsd,
  tokens: budgetTokens === undefined ? cap.tokens : budgetTokens,
});
