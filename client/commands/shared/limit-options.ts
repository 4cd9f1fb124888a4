import { z } from 'zod';
import type { Cap } from '../../../domain/budget/amount.js';
import { modelApis } from '../../../domain/model-api.js';
import {
  flag,
  decimal,
  formatOptions,
  option,
  rare,
  whole,
  type FlagsOf,
} from '../../../domain/option.js';
import { defaultRunConfig } from '../../../domain/runs/run-config.js';
import { tokens, usd } from '../../../domain/runs/run-options.js';

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
  concurrency: option('<n>', 'calls at a time', whole(1, 1000).default(20)),
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

/** The cap on what the calls of a command cost. */
export const capOf = ({
  budgetUsd,
  budgetTokens,
}: Pick<FlagsOf<typeof calls>, 'budgetUsd' | 'budgetTokens'>): Cap => ({
  usd: budgetUsd ?? null,
  tokens: budgetTokens ?? null,
});
