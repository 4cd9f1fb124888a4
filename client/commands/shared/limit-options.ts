import { InvalidArgumentError, Option, type Command } from 'commander';
import { modelApis, type ModelApi } from '../../../domain/model-api.js';
import { defaultRunConfig, type Concurrency } from '../../../domain/runs/run-config.js';
import type { Tuning } from '../../../domain/runs/tuning.js';
import { deadline, decimal, wholeNumber } from './arguments.js';

/** Said for no limit. Commander turns a parser's null into an empty text. */
const none = 'none';
const auto = 'auto';

/** What limits a run and may change while it goes on, as commander hands it over. Absent: as it was. */
export interface LimitFlags {
  readonly concurrency?: Concurrency;
  readonly budgetUsd?: number | typeof none;
  readonly budgetTokens?: number | typeof none;
  /** ISO 8601, or `none`. */
  readonly deadline?: string;
}

export const addLimitOptions = (command: Command): Command =>
  command
    .optionsGroup('Limits:')
    .option(
      '--concurrency <n>',
      `questions in flight, or auto: as many as the provider takes (a new run begins with ${defaultRunConfig.concurrency})`,
      or(auto, wholeNumber(1, 2000)),
    )
    .option('--budget-usd <n>', 'what the run may cost, or none', orNone(decimal(0.000001, 1e9)))
    .option('--budget-tokens <n>', 'tokens the run may use, or none', orNone(wholeNumber(1, 1e12)))
    .option(
      '--deadline <time>',
      'when what is left ends: a date with time, a time from now such as 90m, 8h or 2d, or none',
      orNone(deadline),
    );

/** Flags of a command that makes calls about stored answers or papers, as commander hands them over. */
export interface CallFlags {
  readonly api?: ModelApi;
  readonly concurrency: number;
  readonly budgetUsd?: number;
  readonly budgetTokens?: number;
  readonly timeout: number;
  readonly yes?: true;
  readonly json?: true;
}

export const addCallOptions = (
  command: Command,
  budgets: { readonly usd: string; readonly tokens: string },
): Command =>
  command
    .addOption(
      new Option(
        '--api <api>',
        'in which models are asked that have none in turnwise.yaml (default: as TURNWISE_API has it, else chat)',
      ).choices(modelApis),
    )
    .option('--concurrency <n>', 'calls at a time', wholeNumber(1, 1000), 20)
    .option('--budget-usd <n>', budgets.usd, decimal(0.000001, 1e9))
    .option('--budget-tokens <n>', budgets.tokens, wholeNumber(1, 1e12))
    .option(
      '--timeout <seconds>',
      'after which one call is given up and repeated',
      decimal(0.1, 3600),
      defaultRunConfig.model.timeoutMs / 1000,
    )
    .option('--yes', 'start without asking; nobody is asked where there is no terminal')
    .option('--json', 'one JSON document');

const orNone = <T>(parse: (text: string) => T): ((text: string) => T | typeof none) =>
  or(none, parse);

/** A commander parser that takes one more word. */
function or<T, Word extends string>(
  word: Word,
  parse: (text: string) => T,
): (text: string) => T | Word {
  return (text) => {
    if (text === word) return word;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw new InvalidArgumentError(`${error.message.replace(/\.$/, '')}, or \`${word}\`.`);
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
    ...(budgetUsd !== undefined && { budgetUsd: budgetUsd === none ? null : budgetUsd }),
    ...(budgetTokens !== undefined && {
      budgetTokens: budgetTokens === none ? null : budgetTokens,
    }),
    ...(until !== undefined && { deadline: until === none ? null : until }),
  };
}
