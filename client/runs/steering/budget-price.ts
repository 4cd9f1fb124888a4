import type { ModelConfig } from '../../../domain/models/model-settings.js';
import type { Tuning } from '../../../domain/runs/run-config.js';
import { UserError } from '../../../domain/user-error.js';

/**
 * Throws UserError where dollars are to be counted that nobody knows.
 * @param then - what is to be done once turnwise.yaml says the price; nothing where this very command reads it
 * @param instead - gives a budget in tokens
 */
export function requirePrice(
  { name, price }: Pick<ModelConfig, 'name' | 'price'>,
  { budgetUsd }: Pick<Tuning, 'budgetUsd'>,
  then = '',
  instead = 'give --budget-tokens',
): void {
  if (typeof budgetUsd !== 'number' || price !== null) return;
  throw new UserError(
    `what ${name} costs is not known, so a budget in dollars cannot be kept: write \`prices: { "${name}": { input: …, output: … } }\` (US dollars per million tokens) into turnwise.yaml${then}, or ${instead}`,
  );
}
