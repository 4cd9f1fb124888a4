import { z } from 'zod';
import { actionFormatNames } from '../agent/actions/action.js';
import { turnLimit, type Method } from '../agent/turn-plan.js';
import { methodNames } from '../agent/methods.js';
import { observationFormatNames } from '../agent/observations/table-formats.js';
import { modelApis } from '../model-api.js';
import { reasoningEfforts } from '../models/model-settings.js';
import { flag, decimal, option, rare, whole, type FlagsOf } from '../option.js';
import { combinations, defaultJudging, maxJudges } from '../scoring/judging/judging-config.js';
import { defaultRunConfig as defaults } from './run-config.js';

// The options of a run, each written once: the command line, evaluation files and the library read them here.

export const defaultModel = 'gpt-4o-mini';

const api = z.enum(modelApis).optional();
const modelName = z.string().refine((name) => name.trim() !== '', 'must not be empty');
const usually = (value: number): string => `(default: the model's, usually ${value})`;

export const usd = decimal(0.000001, 1e9);
export const tokens = whole(1, 1e12);
export const concurrency = z.union([z.literal('auto'), whole(1, 2000)]);

export const pluginOption = {
  plugin: rare(
    option(
      '<file>',
      'a module of your own with scorers, methods or actions; may be repeated (default: TURNWISE_PLUGINS)',
      z.array(z.string()).optional(),
    ),
  ),
};

export const promptsOption = {
  prompts: rare(
    option(
      '<file>',
      'other texts for agents, judges and reviewers, YAML or JSON (`ask --texts` prints ours)',
    ),
  ),
};

/** What of the user's own takes the place of ours. */
export const ownOptions = { ...pluginOption, ...promptsOption };

const methodOptions = {
  store: option('<name>', 'asked over (default: the only one that fits)'),
  // A plugin may have methods that are known later.
  method: option(
    '<name>',
    'how questions are answered',
    z.union([z.enum(methodNames), z.string()]).default(defaults.method),
  ),
  ...ownOptions,
};

export const modelOptions = {
  model: option('<name>', 'as its provider names it', modelName.default(defaultModel)),
  api: option('<api>', 'of the model (default: as configured, else chat)', api),
  temperature: option(
    '<t>',
    `of the model ${usually(defaults.model.temperature)}`,
    decimal(0, 2).optional(),
  ),
  topP: rare(
    option('<p>', `of the model ${usually(defaults.model.topP)}`, decimal(0.000001, 1).optional()),
  ),
  maxTokens: option(
    '<n>',
    `reasoning and reply ${usually(defaults.model.maxTokens)}`,
    whole(1, 1_000_000).optional(),
  ),
  modelSeed: rare(
    option(
      '<n>',
      'asks the provider for repeatable sampling',
      whole(0, Number.MAX_SAFE_INTEGER).optional(),
    ),
  ),
  reasoningEffort: rare(
    option('<effort>', 'of a model that reasons', z.enum(reasoningEfforts).optional()),
  ),
  stream: rare(flag('has replies sent piece by piece, for gateways that cut idle connections')),
  modelTimeout: rare(
    option(
      '<seconds>',
      'after which one model call is given up and repeated, and a graph query given up',
      decimal(0.1, 3600).default(defaults.model.timeoutMs / 1000),
    ),
  ),
  cache: rare(
    flag(
      'pay for equal requests once: take the reply from TURNWISE_HOME/cache (epochs then repeat each other)',
      z.boolean().default(defaults.model.cache),
    ),
  ),
};
export type ModelFlags = FlagsOf<typeof modelOptions>;

export const judgeOptions = {
  judgeModel: option(
    '<name>',
    'decides what no comparison can',
    z
      .array(z.string().refine((name) => name.trim() !== '', 'must be the name of a model'))
      .min(1)
      .max(maxJudges)
      .refine(
        (names) => new Set(names).size === names.length,
        'must name each judge once: a model agrees with itself',
      )
      .optional(),
  ),
  judgeApi: rare(
    option(
      '<api>',
      'in which judges are asked (default: as --api, turnwise.yaml or TURNWISE_API has it)',
      api,
    ),
  ),
  judges: rare(
    option(
      '<how>',
      `how the verdicts of several judges become one (default: ${defaultJudging.combination})`,
      z.enum(combinations).optional(),
    ),
  ),
  judgeTries: rare(
    option(
      '<n>',
      `calls about one answer before a judge that replies nothing readable is given up (default: ${defaultJudging.tries})`,
      whole(1, 10).optional(),
    ),
  ),
  judgeEmpty: rare(
    flag(
      'an empty answer does not match a long reference answer, and is graded 1; otherwise it is unscored',
    ),
  ),
};
export type JudgeFlags = FlagsOf<typeof judgeOptions>;

export const turnOptions = {
  maxTurns: option('<n>', 'turns a question may take', whole(1, 100).default(defaults.maxTurns)),
  window: option(
    '<n>',
    'turns of history the model is sent',
    whole(0, 100).default(defaults.windowSize),
  ),
  contextTokens: rare(
    option(
      '<n>',
      'what the model can be sent at most, its answer included; older turns are left out',
      whole(1000, 10_000_000).optional(),
    ),
  ),
  actionFormat: rare(
    option(
      '<name>',
      'how the model writes its actions',
      z.enum(actionFormatNames).default(defaults.actionFormat),
    ),
  ),
  observationFormat: rare(
    option(
      '<name>',
      'how the model is shown rows and hits',
      z.enum(observationFormatNames).default(defaults.observationFormat),
    ),
  ),
  modelAttempts: rare(
    option(
      '<n>',
      'tries of one model call before its question waits, or ends as infra-error',
      whole(1, 1000).default(defaults.modelAttempts),
    ),
  ),
  toolTimeout: rare(
    option(
      '<seconds>',
      'for one SQL statement or search',
      decimal(0.1, 120).default(defaults.toolTimeoutMs / 1000),
    ),
  ),
  sqlRepairs: rare(
    option(
      '<n>',
      'rounds in which `sequential` repairs failed queries',
      whole(0, 5).default(defaults.sqlRepairs),
    ),
  ),
  resultRows: rare(
    option(
      '<n>',
      'rows of a result that database methods are shown',
      whole(1, 10_000).default(defaults.shownResults.rows),
    ),
  ),
  resultTokens: rare(
    option(
      '<n>',
      'tokens of a result that database methods are shown',
      whole(50, 1_000_000).default(defaults.shownResults.tokens),
    ),
  ),
  agentProgram: rare(
    option(
      '<command>',
      'a program of your own that answers each question: JSON lines in and out',
      z
        .string()
        .refine((command) => command.trim() !== '', 'must not be empty')
        .optional(),
      ['method'],
    ),
  ),
  references: rare(flag('name the papers of `reference_pdf` in the task, too')),
  strict: rare(flag('parse and render exactly as the reference does, weaknesses included')),
};

const isSequential = (method: Method): boolean =>
  method.kind === 'database' && method.mode === 'sequential';
const seesResults = (method: Method): boolean =>
  method.kind === 'database' && method.mode !== 'no-interaction';

/** Which methods read an option that some do not. */
const readers = {
  maxTurns: (method) => turnLimit(method, 1) !== turnLimit(method, 2),
  window: (method) =>
    method.kind === 'iterative' || (method.kind === 'graph' && method.judge !== null),
  actionFormat: ({ kind }) => kind === 'iterative' || kind === 'two-stage',
  observationFormat: ({ kind }) =>
    kind === 'iterative' || kind === 'two-stage' || kind === 'program',
  sqlRepairs: isSequential,
  resultRows: seesResults,
  resultTokens: seesResults,
  references: ({ kind }) => kind === 'iterative',
  agentProgram: ({ kind }) => kind === 'program',
} satisfies Partial<Record<keyof typeof turnOptions, (method: Method) => boolean>>;
type PartlyRead = keyof typeof readers;

/** Options that are given, and that a method never reads. */
export const idleOptions = (
  method: Method,
  given: { readonly [Name in PartlyRead]?: unknown },
): readonly PartlyRead[] =>
  partlyRead.filter(
    (name) =>
      given[name] !== undefined &&
      given[name] !== turnOptions[name].type.parse(undefined) &&
      !readers[name](method),
  );

// The cast is safe: these are the keys of an object literal.
const partlyRead = Object.keys(readers) as PartlyRead[];

/** What `ask` and `run` share, by the headings of the help text. */
export const sharedGroups = {
  'Questions and method:': methodOptions,
  'Model:': modelOptions,
  'Judges:': judgeOptions,
  'Turns and tools:': turnOptions,
};
export const sharedRunOptions = {
  ...{ ...methodOptions, ...modelOptions },
  ...{ ...judgeOptions, ...turnOptions },
};
export type SharedRunFlags = FlagsOf<typeof sharedRunOptions>;

export const batchOption = {
  batch: flag('half the price: calls wait, and are sent in batches'),
};

export const questionLimitOptions = {
  ...batchOption,
  warmFirst: rare(
    flag(
      'send all calls at once: none waits for the first one of its prompt to be in the cache of the provider',
      z.boolean().default(defaults.warmFirst),
    ),
  ),
  questionBudgetUsd: rare(option('<n>', 'what each question may cost', usd.optional())),
  questionBudgetTokens: rare(option('<n>', 'tokens each question may use', tokens.optional())),
  questionTimeLimit: rare(option('<seconds>', 'for each question', decimal(0.001, 1e7).optional())),
  onFailure: rare(
    option(
      '<what>',
      'when retries are exhausted for a reason outside of a question, it waits, or ends as infra-error',
      z.enum(['end', 'wait']).default(defaults.onFailure),
    ),
  ),
  holdAfter: rare(
    option(
      '<n>',
      'equal failures in a row, or of the first questions, that hold the run',
      whole(1, 1000).default(defaults.holdAfter),
    ),
  ),
};
export type QuestionLimitFlags = FlagsOf<typeof questionLimitOptions>;

export const skipOption = {
  skipBadDatabases: rare(flag('leave out questions whose database cannot be read')),
};
