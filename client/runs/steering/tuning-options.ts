import { z } from 'zod';
import { option, plainType, type FlagsOf } from '../../../domain/option.js';
import {
  defaultRunConfig,
  type RunConfig,
  type ShownLimit,
  type Tuning,
} from '../../../domain/runs/run-config.js';
import { concurrency as inFlight, tokens, usd } from '../../../domain/runs/run-options.js';
import { UserError } from '../../../domain/user-error.js';
import { deadline as momentToCome, parserOf } from '../../services/option-values.js';

/** Said for no limit. Commander turns a parser's null into an empty text. */
const none = z.literal('none');

/** What limits a run and may change while it goes on. Absent: as it was. */
export const limitOptions = {
  concurrency: option(
    '<n>',
    `questions in flight, or auto (a new run: ${defaultRunConfig.concurrency})`,
    inFlight.optional(),
  ),
  budgetUsd: option('<n>', 'US dollars the run may cost, or none', z.union([none, usd]).optional()),
  budgetTokens: option(
    '<n>',
    'tokens the run may use, or none',
    z.union([none, tokens]).optional(),
  ),
  deadline: option(
    '<time>',
    'when it ends: a date with time, 90m, 8h, 2d, or none',
    z.union([none, z.string().transform(momentToCome)]).optional(),
  ),
};
export type LimitFlags = FlagsOf<typeof limitOptions>;

export function tuningOf({ concurrency, budgetUsd, budgetTokens, deadline }: LimitFlags): Tuning {
  return {
    ...(concurrency !== undefined && { concurrency }),
    ...(budgetUsd !== undefined && { budgetUsd: orNull(budgetUsd) }),
    ...(budgetTokens !== undefined && { budgetTokens: orNull(budgetTokens) }),
    ...(deadline !== undefined && { deadline: orNull(deadline) }),
  };
}

const orNull = <T>(limit: T | 'none'): T | null => (limit === 'none' ? null : limit);

export function shownLimits({
  concurrency,
  budget,
  deadline,
}: Pick<RunConfig, 'concurrency' | 'budget' | 'deadline'>): readonly ShownLimit[] {
  const values = { concurrency, budgetUsd: budget.usd, budgetTokens: budget.tokens, deadline };
  // The names are those of an object literal.
  return (Object.keys(values) as (keyof typeof values)[]).map((name) => ({
    name,
    help: limitOptions[name].help,
    value: String(values[name] ?? 'none'),
  }));
}

/** Texts as the command line takes them, by the names of its options. Throws UserError in its words. */
export function tuningIn(texts: Readonly<Record<string, string>>): Tuning {
  const flags = Object.entries(limitOptions).flatMap(([name, { help, type }]) => {
    const text = texts[name];
    if (text === undefined) return [];
    try {
      return [[name, parserOf(plainType(type))(text)] as const];
    } catch (error) {
      throw error instanceof UserError ? new UserError(`${help}: ${error.message}`) : error;
    }
  });
  // Each is what the parser of its option returned.
  return tuningOf(Object.fromEntries(flags));
}
