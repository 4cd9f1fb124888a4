import { InvalidArgumentError, type Command } from 'commander';
import type { ModelConfig } from '../domain/models/model-config.js';
import { defaultRunConfig } from '../domain/runs/run-config.js';
import type { Tuning } from '../domain/runs/tuning.js';
import { deadline } from './deadline-argument.js';
import { decimal, wholeNumber } from './number-argument.js';
import { UserError } from './user-error.js';

/** What limits a run and may change while it goes on. Absent: as it was; null: no limit. */
export interface LimitFlags {
  readonly concurrency?: number;
  readonly budgetUsd?: number | null;
  readonly budgetTokens?: number | null;
  readonly deadline?: string | null;
}

export const addLimitOptions = (command: Command): Command =>
  command
    .option(
      '--concurrency <n>',
      `questions in flight (a new run begins with ${defaultRunConfig.concurrency})`,
      wholeNumber(1, 2000),
    )
    .option('--budget-usd <n>', 'what the run may cost, or none', orNone(decimal(0.000001, 1e9)))
    .option('--budget-tokens <n>', 'tokens the run may use, or none', orNone(wholeNumber(1, 1e12)))
    .option(
      '--deadline <time>',
      'when what is left ends: a date with time, a time from now such as 90m, 8h or 2d, or none',
      orNone(deadline),
    );

/** A commander parser that takes `none` as well. */
function orNone<T>(parse: (text: string) => T): (text: string) => T | null {
  return (text) => {
    if (text === 'none') return null;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw new InvalidArgumentError(`${error.message} Or \`none\`.`);
    }
  };
}

export function tuningOf({
  concurrency,
  budgetUsd,
  budgetTokens,
  deadline: until,
}: LimitFlags): Tuning {
  return {
    ...(concurrency !== undefined && { concurrency }),
    ...(budgetUsd !== undefined && { budgetUsd }),
    ...(budgetTokens !== undefined && { budgetTokens }),
    ...(until !== undefined && { deadline: until }),
  };
}

/** Throws UserError where dollars are to be counted that nobody knows. */
export function requirePrice(
  { name, price }: Pick<ModelConfig, 'name' | 'price'>,
  { budgetUsd }: Pick<Tuning, 'budgetUsd'>,
): void {
  if (typeof budgetUsd !== 'number' || price !== null) return;
  throw new UserError(
    `what ${name} costs is not known, so a budget in dollars cannot be kept: write \`prices: { "${name}": { input: …, output: … } }\` (US dollars per million tokens) into turnwise.yaml, or give --budget-tokens`,
  );
}
