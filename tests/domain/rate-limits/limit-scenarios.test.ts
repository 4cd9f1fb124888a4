import { describe, expect, it } from 'vitest';
import {
  limitScenarios,
  simulateLimitScenario,
} from '../../support/model-calls/limit-scenarios.js';

describe('the rate limiter, in simulated time', () => {
  it.each(limitScenarios.map((scenario) => [scenario.name, scenario] as const))(
    'uses a limit and is hardly ever refused: %s',
    (_, scenario) => {
      const { used, refused } = simulateLimitScenario(scenario);
      expect(used).toBeGreaterThanOrEqual(scenario.leastUsed);
      expect(refused).toBeLessThanOrEqual(scenario.mostRefused);
    },
  );
});
