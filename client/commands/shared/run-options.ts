import type { Method } from '../../../domain/agent/turn-plan.js';
import {
  agentProgramMethod,
  methodNames,
  methodNeeds,
  methodOf,
} from '../../../domain/agent/methods.js';
import { agentTexts } from '../../../domain/agent/prompts/agent-texts.js';
import type { Plugin } from '../../../domain/agent/plugin.js';
import { didYouMean } from '../../../domain/formats/did-you-mean.js';
import { inBatches } from '../../../domain/models/model-settings.js';
import { changesTo } from '../../../domain/models/prompt-file.js';
import { option, rare, type FlagsOf } from '../../../domain/option.js';
import { defaultRunConfig, type RunConfig } from '../../../domain/runs/run-config.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import {
  idleOptions,
  sharedGroups,
  type pluginOption,
  type QuestionLimitFlags,
  type SharedRunFlags,
} from '../../../domain/runs/run-options.js';
import type { OwnScorer } from '../../../domain/scoring/own-scorer.js';
import type { Environment } from '../../../domain/settings.js';
import { UserError } from '../../../domain/user-error.js';
import { givenPlugins, scorersOf, type LoadedPlugin } from '../../runs/own-code.js';
import { readTexts } from '../../runs/prompt-file.js';
import { flagOf, type CommandLine } from './command-line.js';
import {
  batchOf,
  judgingOf,
  modelConfigOf,
  modelEndpoints,
  unaskedEndpoints,
} from './model-options.js';

export function addSharedRunOptions(command: CommandLine): CommandLine {
  for (const [heading, group] of Object.entries(sharedGroups))
    command.optionsGroup(heading).takes(group);
  return command;
}

/** What `ask` has no options for. */
type RunLimit =
  | 'epochs'
  | 'concurrency'
  | 'warmFirst'
  | 'budget'
  | 'questionBudget'
  | 'questionTimeLimitMs'
  | 'deadline'
  | 'onFailure'
  | 'holdAfter';

export type RunLimits = Partial<Pick<RunConfig, RunLimit>> & {
  /** Whether calls are sent in batches. @defaultValue false */
  readonly batch?: boolean;
};

/**
 * The configuration of a run. Throws UserError where its method needs a model and none could be asked.
 * @param replayed - whose replies are repeated; null where a model is asked
 */
export function runConfigOf(
  flags: SharedRunFlags,
  environment: Environment,
  { batch: isBatched = false, ...limits }: RunLimits,
  loaded: readonly LoadedPlugin[] = [],
  replayed: Pick<RunManifest, 'run' | 'config'> | null = null,
): RunConfig {
  const plugins = loaded.map(({ plugin }) => plugin);
  const { agentProgram = null } = flags;
  // On the command line they exclude each other, so this method is the default.
  const isImplied = agentProgram !== null && flags.method === defaultRunConfig.method;
  const name = isImplied ? agentProgramMethod : flags.method;
  const method = requireMethod(name, plugins);
  if (method.kind === 'program' && agentProgram === null) {
    throw new UserError(`method ${name} needs the command of your agent: give --agent-program`);
  }
  const [idle] = idleOptions(method, flags);
  if (idle !== undefined) {
    throw new UserError(`${flagOf(idle)} has no effect with ${name}: leave it out`);
  }
  const asksModel = replayed === null && methodNeeds(method).model;
  const endpointsOf = asksModel ? modelEndpoints : unaskedEndpoints;
  const endpoints = endpointsOf(environment, flags.api);
  const ofJudges = endpointsOf(environment, flags.judgeApi ?? flags.api);
  const model = replayed
    ? { ...replayed.config.model, price: null }
    : modelConfigOf(flags, { endpoints, strict: flags.strict ?? false });
  const { timeoutMs, cache } = model;
  const texts = readTexts(flags.prompts, loaded);
  const batch = batchOf({ batch: isBatched }, environment);
  const judging = judgingOf(flags, () => ({ endpoints: ofJudges, timeoutMs, cache, batch }), texts);
  if (isBatched && flags.stream) {
    throw new UserError('--stream has no effect with --batch: leave it out');
  }
  if (isBatched && !asksModel && judging === null) {
    throw new UserError(`--batch has no effect with ${flags.method}: leave it out`);
  }
  return {
    ...defaultRunConfig,
    method: name,
    plugins,
    agentProgram,
    model: inBatches(model, batch),
    modelAttempts: flags.modelAttempts,
    toolTimeoutMs: Math.round(flags.toolTimeout * 1000),
    maxTurns: flags.maxTurns,
    windowSize: flags.window,
    contextTokens: flags.contextTokens ?? null,
    actionFormat: flags.actionFormat,
    observationFormat: flags.observationFormat,
    strict: flags.strict ?? false,
    references: flags.references ?? false,
    prompts: changesTo(agentTexts({ method: name, plugins }), texts),
    sqlRepairs: flags.sqlRepairs,
    shownResults: { rows: flags.resultRows, tokens: flags.resultTokens },
    judging,
    replay: replayed?.run ?? null,
    ...limits,
  };
}

/** Throws UserError if neither turnwise nor a plugin has the method. */
export function requireMethod(name: string, plugins: readonly Plugin[]): Method {
  const own = plugins.flatMap(({ methods }) => Object.keys(methods));
  const names: readonly string[] = [...own, ...methodNames];
  if (names.includes(name) || name === agentProgramMethod)
    return methodOf({ method: name, plugins });
  throw new UserError(
    `there is no method ${name}${didYouMean(name, names)}: choose one of ${names.join(', ')}${own.length === 0 ? ', or one of a --plugin' : ''}`,
  );
}

export const questionLimitsOf = ({
  batch = false,
  warmFirst,
  questionBudgetUsd: usd,
  questionBudgetTokens: tokens,
  questionTimeLimit: seconds,
  onFailure,
  holdAfter,
}: QuestionLimitFlags): Pick<
  RunConfig,
  'warmFirst' | 'questionBudget' | 'questionTimeLimitMs' | 'onFailure' | 'holdAfter'
> & { readonly batch: boolean } => ({
  batch,
  warmFirst,
  questionBudget: { usd: usd ?? null, tokens: tokens ?? null },
  questionTimeLimitMs: seconds === undefined ? null : Math.round(seconds * 1000),
  onFailure,
  holdAfter,
});

export const pluginsOf = (
  { plugin = [] }: FlagsOf<typeof pluginOption>,
  environment: Environment,
): Promise<readonly LoadedPlugin[]> => givenPlugins(plugin, environment);

export interface OwnScorerFlags {
  readonly scorer?: string | undefined;
  readonly scorerProgram?: string;
}

export const programOption = {
  scorerProgram: rare(
    option(
      '<command>',
      'a program of your own that scores every answer: a line of JSON in, a line of JSON out',
    ),
  ),
};

/**
 * The scorer of the user's that a command is given; null if there is none. Throws UserError if no plugin has it.
 * @param known - names that are no scorers of plugins
 */
export function ownScorerIn(
  { scorer, scorerProgram }: OwnScorerFlags,
  plugins: readonly LoadedPlugin[],
  known: readonly string[] = [],
): OwnScorer | null {
  const isNamed = scorer !== undefined && !known.includes(scorer);
  if (scorer !== undefined && scorerProgram !== undefined) {
    throw new UserError('--scorer and --scorer-program exclude each other');
  }
  if (scorerProgram !== undefined) {
    if (scorerProgram.trim() === '') throw new UserError('--scorer-program is an empty command');
    return { kind: 'program', command: scorerProgram };
  }
  if (!isNamed) return null;
  const names = scorersOf(plugins);
  if (names.has(scorer)) return { kind: 'plugin', name: scorer };
  const choices = [...known, ...names];
  throw new UserError(
    choices.length === 0
      ? `there is no scorer ${scorer}: name the file that has it with --plugin`
      : `there is no scorer ${scorer}: choose one of ${choices.join(', ')}${names.size === 0 ? ', or one of a --plugin' : ''}`,
  );
}
