import type { Cell, Evaluation } from '../../../domain/evaluations/evaluation.js';
import { defaultRunConfig, paidModels, type RunConfig } from '../../../domain/runs/run-config.js';
import { defaultJudging } from '../../../domain/scoring/judging/judging-config.js';
import type { Environment } from '../../../domain/settings.js';
import type { LoadedPlugin } from '../../runs/own-code.js';
import { requirePrice } from '../../runs/steering/budget-price.js';
import { requireGraphProgram } from './launch-run.js';
import { runConfigOf } from './run-options.js';

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
  const { concurrency, judges, run: options = {} } = file;
  const defaults = defaultRunConfig;
  const { questionTimeLimit } = options;
  const questionBudget = {
    usd: options.questionBudgetUsd ?? null,
    tokens: options.questionBudgetTokens ?? null,
  };
  const config = runConfigOf(
    {
      method,
      model: model.name,
      api: model.api,
      temperature: model.temperature,
      topP: model.topP,
      maxTokens: model.maxTokens,
      modelSeed: model.seed,
      reasoningEffort: model.reasoningEffort,
      stream: model.stream,
      modelTimeout: options.modelTimeout ?? defaults.model.timeoutMs / 1000,
      cache: options.cache ?? defaults.model.cache,
      maxTurns: options.maxTurns ?? defaults.maxTurns,
      window: options.window ?? defaults.windowSize,
      contextTokens: options.contextTokens,
      actionFormat: options.actionFormat ?? defaults.actionFormat,
      observationFormat: options.observationFormat ?? defaults.observationFormat,
      modelAttempts: options.modelAttempts ?? defaults.modelAttempts,
      toolTimeout: options.toolTimeout ?? defaults.toolTimeoutMs / 1000,
      sqlRepairs: options.sqlRepairs ?? defaults.sqlRepairs,
      resultRows: options.resultRows ?? defaults.shownResults.rows,
      resultTokens: options.resultTokens ?? defaults.shownResults.tokens,
      judges: judges?.combination ?? defaultJudging.combination,
      judgeTries: judges?.tries ?? defaultJudging.tries,
      ...(judges && { judgeModel: judges.models }),
      // The same judges for all models, whatever their APIs.
      judgeApi: judges?.api ?? environment.TURNWISE_API,
      ...(judges?.judgeEmpty === true && { judgeEmpty: true as const }),
      ...(options.strict === true && { strict: true as const }),
    },
    environment,
    {
      epochs,
      concurrency: concurrency ?? defaults.concurrency,
      budget,
      questionBudget,
      questionTimeLimitMs:
        questionTimeLimit === undefined ? null : Math.round(questionTimeLimit * 1000),
      onFailure: options.onFailure ?? defaults.onFailure,
      holdAfter: options.holdAfter ?? defaults.holdAfter,
    },
    plugins,
  );
  requireGraphProgram(config, environment);
  const budgetUsd = budget.usd ?? questionBudget.usd ?? undefined;
  for (const paid of paidModels(config)) {
    requirePrice(paid, { budgetUsd }, '', 'give a budget in `tokens`');
  }
  return config;
}
