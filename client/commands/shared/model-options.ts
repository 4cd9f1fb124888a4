import { addressOf, apiFacts, modelApis, type ModelApi } from '../../../domain/model-api.js';
import {
  resolveSettings,
  type ResolvedSettings,
  priceOf,
} from '../../../domain/models/known-models.js';
import {
  inBatches,
  type ModelConfig,
  type ModelEntry,
  type Refusable,
} from '../../../domain/models/model-settings.js';
import { changesTo, type PromptTexts } from '../../../domain/models/prompt-file.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';
import { type JudgeFlags, type ModelFlags, tokens, usd } from '../../../domain/runs/run-options.js';
import {
  defaultJudging,
  type JudgingConfig,
} from '../../../domain/scoring/judging/judging-config.js';
import { judgeTexts } from '../../../domain/scoring/judging/judge-request.js';
import type { Environment } from '../../../domain/settings.js';
import { UserError } from '../../../domain/user-error.js';
import { readTurnwiseYaml } from '../../services/turnwise-yaml.js';
import { flagOf } from './command-line.js';
import type { Cap } from '../../../domain/budget/amount.js';
import {
  flag,
  decimal,
  formatOptions,
  option,
  rare,
  whole,
  type FlagsOf,
} from '../../../domain/option.js';
import { z } from 'zod';

/** Where models are asked. */
interface ModelEndpoints {
  /** The API of a model for which `turnwise.yaml` names none. */
  readonly api: ModelApi;
  /** Throws UserError where neither a key nor an address of the API is set. */
  readonly addressOf: (api: ModelApi) => string;
}

/** @param api - of the flags; that of the settings if it is undefined */
export const modelEndpoints = (
  environment: Environment,
  api: ModelApi = environment.TURNWISE_API,
): ModelEndpoints => ({
  api,
  addressOf: (one) => {
    if (!isConfigured(environment, one)) throw new UserError(missingAddress(environment, one));
    return addressOf(environment, one);
  },
});

/** The same for requests that are not sent. */
export const unaskedEndpoints = (
  environment: Environment,
  api: ModelApi = environment.TURNWISE_API,
): ModelEndpoints => ({ api, addressOf: (one) => addressOf(environment, one) });

/** Whether a key or an address of the API is set. */
export function isConfigured(environment: Environment, api: ModelApi): boolean {
  const { addressVariable, keyVariable } = apiFacts[api];
  return (environment[addressVariable] ?? environment[keyVariable]) !== undefined;
}

function missingAddress(environment: Environment, api: ModelApi): string {
  const { addressVariable, keyVariable, title } = apiFacts[api];
  const other = modelApis.find((one) => isConfigured(environment, one));
  const asked = api === 'chat' ? 'no model can be asked' : `${title} cannot be asked`;
  const set = `set ${keyVariable}, or ${addressVariable} for an endpoint of your own (\`turnwise simulate-model\` starts one for trials)`;
  return other === undefined
    ? `${asked}: ${set}`
    : `${asked}: ${set}, or choose --api ${other}, for which there is ${apiFacts[other].keyVariable} or ${apiFacts[other].addressVariable}`;
}

/**
 * A model with all its settings and its price: flags, else `turnwise.yaml`, else what is known of it, else the defaults.
 * Throws UserError where a flag sets what the model refuses.
 */
export const modelConfigOf = (
  flags: ModelFlags,
  { endpoints, strict }: { readonly endpoints: ModelEndpoints; readonly strict: boolean },
): ModelConfig =>
  configured(
    flags.model,
    { endpoints, timeoutMs: Math.round(flags.modelTimeout * 1000), cache: flags.cache },
    { asked: askedFor(flags), strict },
  );

/** Each by its name: a command has other flags, too, such as the seed of its sample. */
const askedFor = (flags: ModelFlags): ModelEntry => ({
  api: flags.api,
  temperature: flags.temperature,
  topP: flags.topP,
  maxTokens: flags.maxTokens,
  seed: flags.modelSeed,
  reasoningEffort: flags.reasoningEffort,
  stream: flags.stream,
});

/** How calls are sent in batches; undefined where they are not. */
export const batchOf = (
  { batch }: { readonly batch?: boolean | undefined },
  environment: Environment,
): ModelConfig['batch'] =>
  batch ? { pauseMs: Math.round(environment.TURNWISE_BATCH_PAUSE * 1000) } : undefined;

/** How a judge or a reviewer is asked. */
type JudgeSettings = Pick<ModelConfig, 'timeoutMs' | 'cache' | 'batch'> & {
  readonly endpoints: ModelEndpoints;
};

/** A judge or reviewer. `usual` holds where neither its model nor `turnwise.yaml` says otherwise. */
export const judgeConfigOf = (
  name: string,
  settings: JudgeSettings,
  usual: Usual = defaultJudging,
): ModelConfig =>
  inBatches(configured(name, settings, { asked: {}, strict: false, usual }), settings.batch);

type Usual = Readonly<Record<'temperature' | 'topP' | 'maxTokens', number>>;

function configured(
  name: string,
  { endpoints, timeoutMs, cache }: JudgeSettings,
  {
    asked,
    strict,
    usual: { temperature, topP, maxTokens } = defaultRunConfig.model,
  }: { readonly asked: ModelEntry; readonly strict: boolean; readonly usual?: Usual },
): ModelConfig {
  const { models, prices } = readTurnwiseYaml();
  const defaults = { ...defaultRunConfig.model, api: endpoints.api, temperature, topP, maxTokens };
  const resolved = resolveSettings(name, { asked, entries: models, defaults, strict });
  if (resolved.kind === 'refused') throw refusedSetting(name, resolved);
  const { settings } = resolved;
  const baseUrl = endpoints.addressOf(settings.api);
  return {
    name,
    baseUrl,
    ...settings,
    timeoutMs,
    cache,
    price: priceOf({ name, baseUrl }, prices),
  };
}

function refusedSetting(
  name: string,
  { setting, api }: Extract<ResolvedSettings, { readonly kind: 'refused' }>,
): UserError {
  return new UserError(
    api === undefined
      ? `${name} takes no ${flagNames[setting]}: leave it out, or write \`models: { "${name}": { refuses: [] } }\` into turnwise.yaml if it does`
      : `--api ${api} takes no ${flagNames[setting]}: leave it out, here and in turnwise.yaml`,
  );
}

/**
 * Who judges, asked where the model is. Null where the flags name nobody.
 * @param texts - of a file of prompts, those of others among them
 * Throws UserError where a majority could not be one, or nobody would judge what is to be judged.
 */
export function judgingOf(
  { judgeModel, judgeApi, judges, judgeTries, judgeEmpty }: JudgeFlags,
  settings: () => JudgeSettings,
  texts: PromptTexts,
): JudgingConfig | null {
  if (judgeModel === undefined) {
    const [idle] = Object.entries({ judgeApi, judges, judgeTries, judgeEmpty }).find(
      ([, value]) => value !== undefined,
    ) ?? [null];
    if (idle === null) return null;
    throw new UserError(`${flagOf(idle)} needs a judge: name one with --judge-model`);
  }
  const prompts = changesTo(judgeTexts, texts);
  const combination = judges ?? defaultJudging.combination;
  if (combination === 'majority' && judgeModel.length % 2 === 0) {
    throw new UserError(
      `${judgeModel.length} judges can be of two minds: name one more or one less, or take their mean with --judges mean`,
    );
  }
  return {
    models: judgeModel.map((name) => judgeConfigOf(name, settings())),
    combination,
    tries: judgeTries ?? defaultJudging.tries,
    ...(judgeEmpty && { judgeEmpty }),
    ...(Object.keys(prompts).length > 0 && { prompts }),
  };
}

const flagNames: Readonly<Record<Refusable, string>> = {
  temperature: '--temperature',
  topP: '--top-p',
  seed: '--model-seed',
  reasoningEffort: '--reasoning-effort',
};

export const yesOption = {
  yes: flag('start without asking'),
};

export const probeOption = {
  probe: rare(
    flag(
      'start without a small call that shows whether each model can be asked',
      z.boolean().default(true),
    ),
  ),
};

/** Options of a command that makes calls about stored answers or papers. */
const calls = {
  api: option(
    '<api>',
    'in which models are asked that have none in turnwise.yaml (default: as TURNWISE_API has it, else chat)',
    z.enum(modelApis).optional(),
  ),
  concurrency: option('<n>', 'calls at a time (default: 20)', whole(1, 1000).optional()),
  budgetUsd: option('<n>', 'what they may cost', usd.optional()),
  budgetTokens: option('<n>', 'tokens they may use', tokens.optional()),
  timeout: option(
    '<seconds>',
    'after which one call is given up and repeated',
    decimal(0.1, 3600).default(defaultRunConfig.model.timeoutMs / 1000),
  ),
  ...yesOption,
  ...formatOptions,
};

/** @param budgetUsd - its help text, as `budgetTokens` is of the other */
export const callOptions = (budgetUsd: string, budgetTokens: string): typeof calls => ({
  ...calls,
  budgetUsd: { ...calls.budgetUsd, help: budgetUsd },
  budgetTokens: { ...calls.budgetTokens, help: budgetTokens },
});

export const cacheOption = {
  cache: flag(
    'pay for equal requests once: take the reply from TURNWISE_HOME/cache',
    z.boolean().default(false),
  ),
};

/** How the models of such a command are asked. */
export const callSettings = (
  environment: Environment,
  {
    api,
    timeout,
    cache = false,
    ...others
  }: {
    readonly api?: ModelApi | undefined;
    readonly timeout: number;
    readonly cache?: boolean;
    readonly batch?: boolean | undefined;
  },
): JudgeSettings => ({
  endpoints: modelEndpoints(environment, api),
  timeoutMs: Math.round(timeout * 1000),
  cache,
  batch: batchOf(others, environment),
});

/** How many calls such a command makes at a time. Throws UserError where a flag says so of calls in batches. */
export function callsAtOnce({
  concurrency,
  batch,
}: {
  readonly concurrency?: number | undefined;
  readonly batch?: boolean | undefined;
}): number {
  if (batch && concurrency !== undefined)
    throw new UserError('--concurrency has no effect with --batch: leave it out');
  return concurrency ?? 20;
}

/** What a forecast says of calls in batches; empty for others. */
export const batchRemark = (models: readonly (ModelConfig | null)[]): string =>
  models.some((model) => model?.batch) ? '; in batches, each of which may take a day' : '';

/** The cap on what the calls of a command cost. */
export const capOf = ({
  budgetUsd,
  budgetTokens,
}: Pick<FlagsOf<typeof calls>, 'budgetUsd' | 'budgetTokens'>): Cap => ({
  usd: budgetUsd ?? null,
  tokens: budgetTokens ?? null,
});
