import { z } from 'zod';
import { methodNeeds, methodOf } from '../../domain/agent/methods.js';
import { outcomeKinds } from '../../domain/agent/question-result.js';
import { questionIdSchema, runIdSchema, type RunId } from '../../domain/ids.js';
import { inBatches, type ModelConfig } from '../../domain/models/model-settings.js';
import { flagsOf, option, partly, whole, type FlagsOf } from '../../domain/option.js';
import { paidModels, tunedConfig, type RunConfig } from '../../domain/runs/run-config.js';
import { forkName } from '../../domain/runs/run-fork.js';
import { modelOptions, pluginOption, type ModelFlags } from '../../domain/runs/run-options.js';
import { storageOf, type Environment } from '../../domain/settings.js';
import { UserError } from '../../domain/user-error.js';
import { forkedQuestions, type FieldIs } from '../runs/choose-samples.js';
import { planRun, type RunRequest } from '../runs/prepare-run.js';
import { pluginsOfRun } from '../runs/own-code.js';
import { RunFolder } from '../runs/run-folder.js';
import { openStore } from '../runs/stores/store-files.js';
import { loadEnvironment } from '../services/environment.js';
import { parseArgument, type CommandLine } from './shared/command-line.js';
import { launchOptions, launchRun, type LaunchFlags } from './shared/launch-run.js';
import { requirePrice } from '../runs/steering/budget-price.js';
import { limitOptions, tuningOf, type LimitFlags } from '../runs/steering/tuning-options.js';
import { pluginsOf, requireMethod } from './shared/run-options.js';
import { modelConfigOf, modelEndpoints, unaskedEndpoints } from './shared/model-options.js';

const choiceOptions = {
  fromTurn: option('<n>', 'the first turn that is asked anew', whole(1, 100)),
  run: option('<id>', 'the new run (default: the old one, with -fork-1)', runIdSchema.optional()),
  where: option(
    '<field=value>',
    'questions with this value in this field of theirs; may be repeated, and all must hold',
    z
      .array(
        z
          .string()
          .refine((text) => /^[^=]+=/.test(text), 'must be FIELD=VALUE, such as tags=figure'),
      )
      .optional(),
  ),
  outcome: option('<kind>', 'questions that ended so', z.array(z.enum(outcomeKinds)).optional()),
  question: option('<uuid>', 'these questions', z.array(questionIdSchema).optional()),
};
const askedAnew = partly(modelOptions);

type ForkFlags = FlagsOf<typeof choiceOptions & typeof askedAnew & typeof pluginOption> &
  LimitFlags &
  LaunchFlags;

export function registerFork(program: CommandLine): void {
  const command = program
    .command('fork')
    .description('go on anew from a turn of a run, with another model or other settings of it')
    .argument('<run>', 'the run whose earlier turns are kept', parseArgument(runIdSchema));
  command.takes(choiceOptions);
  command.optionsGroup('Model:').takes({ ...askedAnew, ...pluginOption });
  command.optionsGroup('Limits:').takes(limitOptions);
  command.optionsGroup('Start and output:').takes(launchOptions).action(forkRun);
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
    dataset: {
      path: manifest.dataset.path,
      text: await forkedQuestions(folder, { ...flags, where: (flags.where ?? []).map(fieldIs) }),
    },
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
    model: inBatches(modelConfigOf(modelFlags(model, flags), { endpoints, strict }), model.batch),
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
  return flagsOf(modelOptions, {
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
  });
}

/** `tags=figure` */
function fieldIs(text: string): FieldIs {
  const [field = '', ...rest] = text.split('=');
  return { field, value: rest.join('=') };
}
