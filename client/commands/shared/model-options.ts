import { InvalidArgumentError, Option, type Command } from 'commander';
import { resolveSettings } from '../../../domain/models/known-models.js';
import {
  reasoningEfforts,
  type ModelConfig,
  type ModelEntry,
  type Refusable,
} from '../../../domain/models/model-settings.js';
import { priceOf } from '../../../domain/models/prices.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';
import { defaultJudging } from '../../../domain/scoring/judging/judging-config.js';
import { openAiBaseUrl, type Environment } from '../../../domain/settings.js';
import { UserError } from '../../../domain/user-error.js';
import { readTurnwiseYaml } from '../../services/turnwise-yaml.js';
import { decimal, wholeNumber } from './arguments.js';

/** Flags about the model, as commander hands them over. Absent: as the model's entry or the defaults have it. */
export interface ModelFlags {
  readonly model: string;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly modelSeed?: number | undefined;
  readonly reasoningEffort?: ModelEntry['reasoningEffort'];
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
  { baseUrl, strict }: { readonly baseUrl: string; readonly strict: boolean },
): ModelConfig {
  const { models, prices } = readTurnwiseYaml();
  const name = flags.model;
  const resolved = resolveSettings(name, {
    asked: askedFor(flags),
    entries: models,
    defaults: defaultRunConfig.model,
    strict,
  });
  if (resolved.kind === 'refused') {
    throw new UserError(
      `${name} takes no ${flagNames[resolved.setting]}: leave it out, or write \`models: { "${name}": { refuses: [] } }\` into turnwise.yaml if it does`,
    );
  }
  return {
    name,
    baseUrl,
    ...resolved.settings,
    timeoutMs: Math.round(flags.modelTimeout * 1000),
    cache: flags.cache,
    price: priceOf({ name, baseUrl }, prices),
  };
}

type UsualSettings = Readonly<Record<'temperature' | 'topP' | 'maxTokens', number>>;

/** A judge or reviewer. `usual` holds where neither its model nor `turnwise.yaml` says otherwise. */
export function judgeConfigOf(
  name: string,
  asked: Pick<ModelConfig, 'baseUrl' | 'timeoutMs' | 'cache'>,
  { temperature, topP, maxTokens }: UsualSettings = defaultJudging,
): ModelConfig {
  const { models, prices } = readTurnwiseYaml();
  const resolved = resolveSettings(name, {
    asked: {},
    entries: models,
    defaults: { ...defaultRunConfig.model, temperature, topP, maxTokens },
    strict: false,
  });
  // Nothing is asked for, so nothing is refused.
  if (resolved.kind === 'refused') throw new Error(`${name} refuses ${resolved.setting}`);
  const { baseUrl } = asked;
  return { name, ...asked, ...resolved.settings, price: priceOf({ name, baseUrl }, prices) };
}

const flagNames: Readonly<Record<Refusable, string>> = {
  temperature: '--temperature',
  topP: '--top-p',
  seed: '--model-seed',
  reasoningEffort: '--reasoning-effort',
};

function askedFor(flags: ModelFlags): ModelEntry {
  return {
    temperature: flags.temperature,
    topP: flags.topP,
    maxTokens: flags.maxTokens,
    seed: flags.modelSeed,
    reasoningEffort: flags.reasoningEffort,
  };
}

/** Throws UserError where neither a key nor an endpoint is set. */
export function modelEndpoint(environment: Environment): string {
  if (environment.OPENAI_BASE_URL !== undefined) return environment.OPENAI_BASE_URL;
  if (environment.OPENAI_API_KEY !== undefined) return openAiBaseUrl;
  throw new UserError(
    'no model can be asked: set OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint of your own (`turnwise simulate-model` starts one for trials)',
  );
}
