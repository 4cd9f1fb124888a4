/** A service that lived at least this long had been fine: its death begins a new count. */
export const steadyAfterMs = 10_000;

const maxQuickDeaths = 5;
const firstDelayMs = 100;
const maxDelayMs = 5_000;

export type RestartDecision =
  { readonly kind: 'restart'; readonly delayMs: number } | { readonly kind: 'give-up' };

/** @param quickDeaths - deaths in a row, this one included, none after a steady life. */
export function afterDeath(quickDeaths: number): RestartDecision {
  if (quickDeaths >= maxQuickDeaths) return { kind: 'give-up' };
  return { kind: 'restart', delayMs: Math.min(firstDelayMs * 4 ** (quickDeaths - 1), maxDelayMs) };
}
