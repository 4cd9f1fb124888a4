import type { Cell, Evaluation } from '../../../domain/evaluations/evaluation.js';
import { flagsOf } from '../../../domain/option.js';
import { defaultRunConfig, paidModels, type RunConfig } from '../../../domain/runs/run-config.js';
import { questionLimitOptions, sharedRunOptions } from '../../../domain/runs/run-options.js';
import type { Environment } from '../../../domain/settings.js';
import type { LoadedPlugin } from '../../runs/own-code.js';
import { requirePrice } from '../../runs/steering/budget-price.js';
import { requireGraphProgram } from './launch-run.js';
import { questionLimitsOf, runConfigOf } from './run-options.js';

const cellOptions = { ...sharedRunOptions, ...questionLimitOptions };

/**
 * The configuration of a cell's run, as `turnwise run` would have it from the same options.
 * @throws UserError where a setting is refused, or a price is unknown that a budget needs
 */
export function cellConfig(
  { method, model }: Cell,
  { file, epochs, budget }: Evaluation,
  environment: Environment,
  plugins: readonly LoadedPlugin[],
): RunConfig {
  const { concurrency, judges, run = {} } = file;
  const flags = flagsOf(cellOptions, {
    ...run,
    ...model,
    method,
    model: model.name,
    modelSeed: model.seed,
    judgeModel: judges?.models,
    // The same judges for all models, whatever their APIs.
    judgeApi: judges?.api ?? environment.TURNWISE_API,
    judges: judges?.combination,
    judgeTries: judges?.tries,
    judgeEmpty: judges?.judgeEmpty,
  });
  const limits = questionLimitsOf(flags);
  const config = runConfigOf(
    flags,
    environment,
    { epochs, concurrency: concurrency ?? defaultRunConfig.concurrency, budget, ...limits },
    plugins,
  );
  requireGraphProgram(config, environment);
  const budgetUsd = budget.usd ?? limits.questionBudget.usd ?? undefined;
  for (const paid of paidModels(config)) {
    requirePrice(paid, { budgetUsd }, '', 'give a budget in `tokens`');
  }
  return config;
}
