import { Option, type Command } from 'commander';
import {
  actionFormatNames,
  type ActionFormatName,
} from '../../../domain/agent/actions/action-format.js';
import { methodNames, methodNeeds, methodOf } from '../../../domain/agent/methods.js';
import { didYouMean } from '../../../domain/formats/did-you-mean.js';
import {
  observationFormatNames,
  type ObservationFormatName,
} from '../../../domain/agent/observations/table-formats.js';
import type { Plugin } from '../../../domain/agent/plugin.js';
import { defaultRunConfig, type RunConfig } from '../../../domain/runs/run-config.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import type { Environment } from '../../../domain/settings.js';
import { UserError } from '../../../domain/user-error.js';
import type { LoadedPlugin } from '../../runs/own-code.js';
import { decimal, wholeNumber } from './arguments.js';
import { addJudgeOptions, judgingOf, type JudgeFlags } from './judge-options.js';
import { addPluginOption, type PluginFlags } from './plugin-options.js';
import { modelEndpoints, unaskedEndpoints } from './model-endpoints.js';
import { addModelOptions, modelConfigOf, type ModelFlags } from './model-options.js';

/** Flags that `ask` and `run` share, as commander hands them over. */
export interface SharedRunFlags extends ModelFlags, JudgeFlags, PluginFlags {
  readonly store?: string;
  /** Of turnwise, or of a plugin. */
  readonly method: string;
  readonly maxTurns: number;
  readonly window: number;
  readonly contextTokens: number | undefined;
  readonly actionFormat: ActionFormatName;
  readonly observationFormat: ObservationFormatName;
  readonly modelAttempts: number;
  readonly toolTimeout: number;
  readonly strict?: true;
  readonly sqlRepairs: number;
  readonly resultRows: number;
  readonly resultTokens: number;
}

export function addSharedRunOptions(command: Command): Command {
  const defaults = defaultRunConfig;
  const withStore = command
    .optionsGroup('Questions and method:')
    .option('--store <name>', 'the store the questions are asked over')
    .addOption(methodOption().default(defaults.method));
  return addJudgeOptions(addModelOptions(addPluginOption(withStore)))
    .optionsGroup('Turns and tools:')
    .option('--max-turns <n>', 'turns a question may take', wholeNumber(1, 100), defaults.maxTurns)
    .option(
      '--window <n>',
      'turns of history the model is sent',
      wholeNumber(0, 100),
      defaults.windowSize,
    )
    .option(
      '--context-tokens <n>',
      'what the model can be sent at most, its answer included; older turns are left out',
      wholeNumber(1000, 10_000_000),
    )
    .addOption(
      new Option('--action-format <name>', 'how the model writes its actions')
        .choices(actionFormatNames)
        .default(defaults.actionFormat),
    )
    .addOption(
      new Option('--observation-format <name>', 'how the model is shown rows and hits')
        .choices(observationFormatNames)
        .default(defaults.observationFormat),
    )
    .option(
      '--model-attempts <n>',
      'tries of one model call before its question waits, or ends as infra-error',
      wholeNumber(1, 1000),
      defaults.modelAttempts,
    )
    .option(
      '--tool-timeout <seconds>',
      'for one SQL statement or search',
      decimal(0.1, 120),
      defaults.toolTimeoutMs / 1000,
    )
    .option(
      '--sql-repairs <n>',
      'rounds in which `sequential` repairs failed queries',
      wholeNumber(0, 5),
      0,
    )
    .option(
      '--result-rows <n>',
      'rows of a result that database methods are shown',
      wholeNumber(1, 10_000),
      defaults.shownResults.rows,
    )
    .option(
      '--result-tokens <n>',
      'tokens of a result that database methods are shown',
      wholeNumber(50, 1_000_000),
      defaults.shownResults.tokens,
    )
    .option('--strict', 'parse and render exactly as the reference does, weaknesses included');
}

/** Help lists the methods of turnwise. A plugin may have others, which are known later. */
function methodOption(): Option {
  const option = new Option('--method <name>', 'how questions are answered, or one of a --plugin');
  option.argChoices = [...methodNames];
  return option;
}

/** What `ask` has no options for. */
export type RunLimit =
  | 'epochs'
  | 'concurrency'
  | 'budget'
  | 'questionBudget'
  | 'questionTimeLimitMs'
  | 'deadline'
  | 'onFailure'
  | 'holdAfter';

/**
 * The configuration of a run. Throws UserError where its method needs a model and none could be asked.
 * @param replayed - whose replies are repeated; null where a model is asked
 */
export function runConfigOf(
  flags: SharedRunFlags,
  environment: Environment,
  limits: Partial<Pick<RunConfig, RunLimit>>,
  loaded: readonly LoadedPlugin[] = [],
  replayed: Pick<RunManifest, 'run' | 'config'> | null = null,
): RunConfig {
  const plugins = loaded.map(({ plugin }) => plugin);
  requireMethod(flags.method, plugins);
  const method = methodOf({ method: flags.method, plugins });
  const asksModel = replayed === null && methodNeeds(method).model;
  const endpointsOf = asksModel ? modelEndpoints : unaskedEndpoints;
  const endpoints = endpointsOf(environment, flags.api);
  const ofJudges = endpointsOf(environment, flags.judgeApi ?? flags.api);
  const model = replayed
    ? { ...replayed.config.model, price: null }
    : modelConfigOf(flags, { endpoints, strict: flags.strict ?? false });
  const { timeoutMs, cache } = model;
  return {
    ...defaultRunConfig,
    method: flags.method,
    plugins,
    model,
    modelAttempts: flags.modelAttempts,
    toolTimeoutMs: Math.round(flags.toolTimeout * 1000),
    maxTurns: flags.maxTurns,
    windowSize: flags.window,
    contextTokens: flags.contextTokens ?? null,
    actionFormat: flags.actionFormat,
    observationFormat: flags.observationFormat,
    strict: flags.strict ?? false,
    sqlRepairs: flags.sqlRepairs,
    shownResults: { rows: flags.resultRows, tokens: flags.resultTokens },
    judging: judgingOf(flags, () => ({ endpoints: ofJudges, timeoutMs, cache })),
    replay: replayed?.run ?? null,
    ...limits,
  };
}

/** Throws UserError if neither turnwise nor a plugin has the method. */
export function requireMethod(name: string, plugins: readonly Plugin[]): void {
  const own = plugins.flatMap(({ methods }) => Object.keys(methods));
  const names: readonly string[] = [...own, ...methodNames];
  if (names.includes(name)) return;
  throw new UserError(
    `there is no method ${name}${didYouMean(name, names)}: choose one of ${names.join(', ')}${own.length === 0 ? ', or one of a --plugin' : ''}`,
  );
}
