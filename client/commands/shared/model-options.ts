import { InvalidArgumentError, Option, type Command } from 'commander';
import { modelApis, type ModelApi } from '../../../domain/model-api.js';
import { resolveSettings, type ResolvedSettings } from '../../../domain/models/known-models.js';
import {
  reasoningEfforts,
  type ModelConfig,
  type ModelEntry,
  type Refusable,
} from '../../../domain/models/model-settings.js';
import { priceOf } from '../../../domain/models/prices.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';
import { defaultJudging } from '../../../domain/scoring/judging/judging-config.js';
import { UserError } from '../../../domain/user-error.js';
import { readTurnwiseYaml } from '../../services/turnwise-yaml.js';
import { decimal, wholeNumber } from './arguments.js';
import type { ModelEndpoints } from './model-endpoints.js';

/** Flags about the model, as commander hands them over. Absent: as the model's entry or the defaults have it. */
export interface ModelFlags {
  readonly model: string;
  readonly api?: ModelApi | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly modelSeed?: number | undefined;
  readonly reasoningEffort?: ModelEntry['reasoningEffort'];
  readonly stream?: boolean | undefined;
  readonly modelTimeout: number;
  readonly cache: boolean;
}

export const defaultModel = 'gpt-4o-mini';

/** What flags about the model say where they are not given. */
export type ModelDefaults = Partial<Pick<ModelFlags, 'model' | 'modelTimeout' | 'cache'>>;

const modelDefaults: ModelDefaults = {
  model: defaultModel,
  modelTimeout: defaultRunConfig.model.timeoutMs / 1000,
  cache: defaultRunConfig.model.cache,
};

export function addModelOptions(command: Command, otherwise = modelDefaults): Command {
  const { model: defaults } = defaultRunConfig;
  const usually = (value: number): string => `(default: the model's, usually ${value})`;
  return command
    .optionsGroup('Model:')
    .option('--model <name>', 'as its provider names it', modelName, otherwise.model)
    .addOption(
      new Option(
        '--api <api>',
        'in which the model is asked (default: as turnwise.yaml or TURNWISE_API has it, else chat)',
      ).choices(modelApis),
    )
    .option('--temperature <t>', `of the model ${usually(defaults.temperature)}`, decimal(0, 2))
    .option('--top-p <p>', `of the model ${usually(defaults.topP)}`, decimal(0.000001, 1))
    .option(
      '--max-tokens <n>',
      `of one completion, hidden reasoning included ${usually(defaults.maxTokens)}`,
      wholeNumber(1, 1_000_000),
    )
    .option(
      '--model-seed <n>',
      'asks the provider for repeatable sampling',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    )
    .addOption(
      new Option('--reasoning-effort <effort>', 'of a model that reasons').choices(
        reasoningEfforts,
      ),
    )
    .option('--stream', 'has replies sent piece by piece, for gateways that cut idle connections')
    .option(
      '--model-timeout <seconds>',
      'after which one model call is given up and repeated, and a graph query given up',
      decimal(0.1, 3600),
      otherwise.modelTimeout,
    )
    .option(
      '--cache',
      'pay for equal requests once: take the reply from TURNWISE_HOME/cache (epochs then repeat each other)',
      otherwise.cache,
    );
}

function modelName(text: string): string {
  if (text.trim() !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
}

/**
 * A model with all its settings and its price: flags, else `turnwise.yaml`, else what is known of it, else the defaults.
 * Throws UserError where a flag sets what the model refuses.
 */
export function modelConfigOf(
  flags: ModelFlags,
  { endpoints, strict }: { readonly endpoints: ModelEndpoints; readonly strict: boolean },
): ModelConfig {
  const { models, prices } = readTurnwiseYaml();
  const name = flags.model;
  const resolved = resolveSettings(name, {
    asked: askedFor(flags),
    entries: models,
    defaults: { ...defaultRunConfig.model, api: endpoints.api },
    strict,
  });
  if (resolved.kind === 'refused') throw refusedSetting(name, resolved);
  const baseUrl = endpoints.addressOf(resolved.settings.api);
  return {
    name,
    baseUrl,
    ...resolved.settings,
    timeoutMs: Math.round(flags.modelTimeout * 1000),
    cache: flags.cache,
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

type UsualSettings = Readonly<Record<'temperature' | 'topP' | 'maxTokens', number>>;

/** How a judge or a reviewer is asked. */
export type JudgeSettings = Pick<ModelConfig, 'timeoutMs' | 'cache'> & {
  readonly endpoints: ModelEndpoints;
};

/** A judge or reviewer. `usual` holds where neither its model nor `turnwise.yaml` says otherwise. */
export function judgeConfigOf(
  name: string,
  { endpoints, ...asked }: JudgeSettings,
  { temperature, topP, maxTokens }: UsualSettings = defaultJudging,
): ModelConfig {
  const { models, prices } = readTurnwiseYaml();
  const resolved = resolveSettings(name, {
    asked: {},
    entries: models,
    defaults: { ...defaultRunConfig.model, api: endpoints.api, temperature, topP, maxTokens },
    strict: false,
  });
  if (resolved.kind === 'refused') throw refusedSetting(name, resolved);
  const baseUrl = endpoints.addressOf(resolved.settings.api);
  return {
    name,
    baseUrl,
    ...asked,
    ...resolved.settings,
    price: priceOf({ name, baseUrl }, prices),
  };
}

const flagNames: Readonly<Record<Refusable, string>> = {
  temperature: '--temperature',
  topP: '--top-p',
  seed: '--model-seed',
  reasoningEffort: '--reasoning-effort',
};

function askedFor(flags: ModelFlags): ModelEntry {
  return {
    api: flags.api,
    temperature: flags.temperature,
    topP: flags.topP,
    maxTokens: flags.maxTokens,
    seed: flags.modelSeed,
    reasoningEffort: flags.reasoningEffort,
    stream: flags.stream,
  };
}
