import { InvalidArgumentError, Option, type Command } from 'commander';
import { methodNames, type MethodName } from '../domain/methods/method-names.js';
import { defaultRunConfig, type RunConfig } from '../domain/runs/run-config.js';
import { openAiBaseUrl, type Environment } from '../domain/settings.js';
import { UserError } from './user-error.js';

/** Flags that `ask` and `run` share, as commander hands them over. */
export interface SharedRunFlags {
  readonly store: string;
  readonly method: MethodName;
  readonly model: string;
  readonly maxTurns: number;
  readonly window: number;
  readonly temperature: number;
  readonly modelTimeout: number;
  readonly modelAttempts: number;
  readonly toolTimeout: number;
  readonly strict?: true;
}

export const defaultModel = 'gpt-4o-mini';

export function addSharedRunOptions(command: Command): Command {
  const defaults = defaultRunConfig;
  return command
    .requiredOption('--store <name>', 'the store the questions are asked over')
    .addOption(
      new Option('--method <name>', 'how questions are answered')
        .choices(methodNames)
        .default(defaults.method),
    )
    .option('--model <name>', 'as its provider names it', defaultModel)
    .option('--max-turns <n>', 'turns a question may take', wholeNumber(1, 100), defaults.maxTurns)
    .option(
      '--window <n>',
      'turns of history the model is sent',
      wholeNumber(0, 100),
      defaults.windowSize,
    )
    .option('--temperature <t>', 'of the model', decimal(0, 2), defaults.model.temperature)
    .option(
      '--model-timeout <seconds>',
      'after which one model call is given up and repeated',
      decimal(0.1, 3600),
      defaults.model.timeoutMs / 1000,
    )
    .option(
      '--model-attempts <n>',
      'tries of one model call before its question ends as infra-error',
      wholeNumber(1, 1000),
      defaults.modelAttempts,
    )
    .option(
      '--tool-timeout <seconds>',
      'for one SQL statement or search',
      decimal(0.1, 120),
      defaults.toolTimeoutMs / 1000,
    )
    .option('--strict', 'parse and render exactly as the reference does, weaknesses included');
}

/** The configuration of a run. Throws UserError where no model could be asked. */
export function runConfigOf(
  flags: SharedRunFlags,
  environment: Environment,
  { epochs, concurrency }: Pick<RunConfig, 'epochs' | 'concurrency'>,
): RunConfig {
  return {
    method: flags.method,
    model: {
      name: flags.model,
      baseUrl: modelEndpoint(environment),
      temperature: flags.temperature,
      topP: defaultRunConfig.model.topP,
      maxTokens: defaultRunConfig.model.maxTokens,
      timeoutMs: Math.round(flags.modelTimeout * 1000),
    },
    modelAttempts: flags.modelAttempts,
    toolTimeoutMs: Math.round(flags.toolTimeout * 1000),
    maxTurns: flags.maxTurns,
    windowSize: flags.window,
    strict: flags.strict ?? false,
    epochs,
    concurrency,
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

/** A commander parser for a whole number within limits. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

/** A commander parser for a number within limits. */
export function decimal(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`);
  };
}
