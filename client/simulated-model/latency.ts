import { seededDraw } from './seeded-draw.js';
import type { SimulatorOptions } from './simulator-options.js';

/** How long the reply to the `attempt`-th request of that content takes. */
export function latencyMsOf(
  { seed, latencyMs, jitter }: Pick<SimulatorOptions, 'seed' | 'latencyMs' | 'jitter'>,
  requestKey: string,
  attempt: number,
): number {
  const swing = 2 * seededDraw(seed, 'latency', requestKey, attempt) - 1;
  return latencyMs * (1 + jitter * swing);
}
