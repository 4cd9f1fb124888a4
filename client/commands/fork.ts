import { InvalidArgumentError, Option, type Command } from 'commander';
import { methodNeeds, methodOf } from '../../domain/agent/methods.js';
import { outcomeKinds, type OutcomeKind } from '../../domain/agent/question-result.js';
import { questionIdSchema, runIdSchema, type QuestionId, type RunId } from '../../domain/ids.js';
import type { ModelConfig } from '../../domain/models/model-settings.js';
import { paidModels, type RunConfig } from '../../domain/runs/run-config.js';
import { forkName } from '../../domain/runs/run-fork.js';
import { tunedConfig } from '../../domain/runs/tuning.js';
import { storageOf, type Environment } from '../../domain/settings.js';
import { UserError } from '../../domain/user-error.js';
import { forkedQuestions, type FieldIs } from '../runs/choose-samples.js';
import { planRun, type RunRequest } from '../runs/prepare-run.js';
import { pluginsOfRun } from '../runs/own-code.js';
import { RunFolder } from '../runs/run-folder.js';
import { openStore } from '../runs/stores/store-files.js';
import { loadEnvironment } from '../services/environment.js';
import { parseArgument, parseArguments, wholeNumber } from './shared/arguments.js';
import { addLaunchOptions, launchRun, type LaunchFlags } from './shared/launch-run.js';
import { requirePrice } from '../runs/steering/budget-price.js';
import { addLimitOptions, tuningOf, type LimitFlags } from './shared/limit-options.js';
import { addPluginOption, pluginsOf, type PluginFlags } from './shared/plugin-options.js';
import { requireMethod } from './shared/run-options.js';
import { modelEndpoints, unaskedEndpoints } from './shared/model-endpoints.js';
import { addModelOptions, modelConfigOf, type ModelFlags } from './shared/model-options.js';

interface ForkFlags extends Partial<ModelFlags>, PluginFlags, LimitFlags, LaunchFlags {
  readonly fromTurn: number;
  readonly run?: RunId;
  readonly where?: readonly FieldIs[];
  readonly outcome?: readonly OutcomeKind[];
  readonly question?: readonly QuestionId[];
}

export function registerFork(program: Command): void {
  const command = program
    .command('fork')
    .description('go on anew from a turn of a run, with another model or other settings of it')
    .argument('<run>', 'the run whose earlier turns are kept', parseArgument(runIdSchema))
    .requiredOption('--from-turn <n>', 'the first turn that is asked anew', wholeNumber(1, 100))
    .option(
      '--run <id>',
      'the new run (default: the old one, with -fork-1)',
      parseArgument(runIdSchema),
    )
    .option(
      '--where <field=value>',
      'questions with this value in this field of theirs; may be repeated, and all must hold',
      oneMoreField,
    )
    .addOption(new Option('--outcome <kind...>', 'questions that ended so').choices(outcomeKinds))
    .option('--question <uuid...>', 'these questions', parseArguments(questionIdSchema));
  addLaunchOptions(addLimitOptions(addPluginOption(addModelOptions(command, {})))).action(forkRun);
}

async function forkRun(earlier: RunId, flags: ForkFlags): Promise<void> {
  const environment = loadEnvironment();
  const home = environment.TURNWISE_HOME;
  const folder = RunFolder.of(environment, earlier);
  const manifest = await folder.manifest();
  const tuning = tuningOf(flags);
  const given = await pluginsOf(flags, environment);
  const plugins = given.length > 0 ? given : await pluginsOfRun(folder, manifest);
  const before = { ...manifest.config, plugins: plugins.map(({ plugin }) => plugin) };
  requireMethod(before.method, before.plugins);
  const config = tunedConfig(configOf(before, flags, environment), tuning);
  for (const paid of paidModels(config)) requirePrice(paid, { budgetUsd: config.budget.usd });
  const store = manifest.store && (await openStore(environment, manifest.store.name));
  if (flags.fromTurn > 1 && store && store.fingerprint !== manifest.store.fingerprint) {
    throw new UserError(
      `store ${store.name} is not what it was when run ${earlier} began, so the turns that are kept would be of another store: --from-turn 1 keeps none`,
    );
  }
  const request: RunRequest = {
    home,
    storage: storageOf(environment),
    run: flags.run ?? runIdSchema.parse(forkName(earlier)),
    dataset: { path: manifest.dataset.path, text: await forkedQuestions(folder, flags) },
    store,
    config,
    plugins,
    tuning,
  };
  const plan = await planRun(request, { folder, fromTurn: flags.fromTurn });
  await launchRun(plan, request, environment, flags);
}

/** As the run was configured, but for its model, where the model and the judges are now, its deadline, and what it repeated. */
function configOf(before: RunConfig, flags: ForkFlags, environment: Environment): RunConfig {
  const isAsked = methodNeeds(methodOf(before)).model;
  const endpoints = (isAsked ? modelEndpoints : unaskedEndpoints)(environment, flags.api);
  const { model, strict, judging } = before;
  return {
    ...before,
    model: modelConfigOf(modelFlags(model, flags), { endpoints, strict }),
    judging: judging && {
      ...judging,
      models: judging.models.map((judge) => ({
        ...judge,
        baseUrl: endpoints.addressOf(judge.api),
      })),
    },
    deadline: null,
    replay: null,
  };
}

/** Another model begins with its own settings; the same one keeps those it had. */
function modelFlags(before: ModelConfig, flags: ForkFlags): ModelFlags {
  const kept = flags.model === undefined ? before : undefined;
  return {
    model: flags.model ?? before.name,
    api: flags.api ?? kept?.api,
    temperature: flags.temperature ?? kept?.temperature ?? undefined,
    topP: flags.topP ?? kept?.topP ?? undefined,
    maxTokens: flags.maxTokens ?? kept?.maxTokens,
    modelSeed: flags.modelSeed ?? kept?.seed ?? undefined,
    reasoningEffort: flags.reasoningEffort ?? kept?.reasoningEffort ?? undefined,
    stream: flags.stream ?? kept?.stream,
    modelTimeout: flags.modelTimeout ?? before.timeoutMs / 1000,
    cache: flags.cache ?? before.cache,
  };
}

function oneMoreField(text: string, earlier: readonly FieldIs[] = []): readonly FieldIs[] {
  const [field, ...rest] = text.split('=');
  if (!field || rest.length === 0) {
    throw new InvalidArgumentError('It must be FIELD=VALUE, such as tags=figure.');
  }
  return [...earlier, { field, value: rest.join('=') }];
}
