import { percentile } from '../domain/statistics/means.js';
import type { Measurement } from './benchmark.js';

/** A call to measure. `round` counts from 0, so that the call can differ from round to round. */
export interface Subject extends Pick<Measurement, 'name' | 'limitMs'> {
  readonly call: (round: number) => Promise<unknown>;
}

/**
 * Calls all subjects in turn, round after round, so that other load on the machine affects them equally.
 * The first tenth of the rounds is not counted.
 */
export async function measure(
  subjects: readonly Subject[],
  rounds: number,
): Promise<readonly Measurement[]> {
  const times = subjects.map((): number[] => []);
  const unmeasured = Math.ceil(rounds / 10);
  for (let round = 0; round < rounds + unmeasured; round += 1) {
    for (const [index, { call }] of subjects.entries()) {
      const start = performance.now();
      await call(round);
      if (round >= unmeasured) times[index]?.push(performance.now() - start);
    }
  }
  return subjects.map(({ name, limitMs }, index) => {
    const all = times[index] ?? [];
    return {
      name,
      limitMs,
      calls: all.length,
      p50: hundredths(percentile(all, 50)),
      p95: hundredths(percentile(all, 95)),
    };
  });
}

const hundredths = (ms: number): number => Math.round(ms * 100) / 100;
