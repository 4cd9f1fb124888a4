import { seededDraw } from './seeded-draw.js';
import { faultNames, type FaultName, type SimulatorOptions } from './simulator-options.js';

/** What befalls the `attempt`-th admitted request of that content: the same in every run with the same seed. */
export function chooseFault(
  { seed, faults }: Pick<SimulatorOptions, 'seed' | 'faults'>,
  requestKey: string,
  attempt: number,
): FaultName | undefined {
  let draw = seededDraw(seed, 'fault', requestKey, attempt);
  return faultNames.find((name) => (draw -= faults[name] ?? 0) < 0);
}
