import { defaultSettings, type LimiterSettings } from '../domain/rate-limits/settings.js';
import { markdownTable, type Benchmark } from './benchmark.js';
import { average, limitScenarios, simulateLimitScenario } from './limits/limit-scenarios.js';

const never = 1e9;
const { cut, firstPauseMs } = defaultSettings;

/** Of the rate limiter: a name, a purpose, and the settings that turn it off. */
type Mechanism = readonly [name: string, purpose: string, without: Partial<LimiterSettings>];

const mechanisms: readonly Mechanism[] = [
  ['nothing: all are on', '', {}],
  ['a measured pace grows', 'find a limit that was raised', { doublingSeconds: never }],
  ['a guessed pace grows at once', 'measure the limit after a cut', { guessGrowth: 0 }],
  ['use 98 % of the estimate', 'let the allowance recover', { targetShare: 1 }],
  ['no calls for a while after a cut', 'admit larger calls', { restCalls: 0 }],
  ['a deeper first cut', 'undo the last doubling', { firstCut: cut }],
  [
    'measure over five seconds',
    'not mistake noise for a limit',
    { measuredMs: 0, measuredCalls: 0 },
  ],
  ['forget counts of a lower limit', 'measure a raised limit', { raisedFactor: never }],
  ['compensate for late timers', 'use all of a limit that allows little burst', { slackMs: 0 }],
  ['trust the accepted rate', 'keep the pace after spurious 429s', { trustAccepted: 0 }],
  [
    'log spurious 429s from a limit',
    'keep the pace after spurious 429s, at any pace',
    { spuriousTogether: 0 },
  ],
  ['recognise accounts with spurious 429s', 'tolerate more of them', { spuriousToKnow: never }],
  ['forget spurious 429s', 'notice limits again', { callsASpurious: never }],
  ['allow for usual server errors', 'grow in spite of such errors', { usualErrorShare: 0 }],
  ['pauses while every call is refused', 'wait for a new window', { firstPauseMs: 0 }],
  [
    'each pause longer than the last',
    'wait for a new window with fewer refusals',
    { longestPauseMs: firstPauseMs },
  ],
  ['no growth during many server errors', 'spare an overloaded server', { serverErrorMs: 0 }],
];

/** Turns off one mechanism of the rate limiter at a time and reports which bounds no longer hold. */
export const ablationBenchmark: Benchmark = {
  summary:
    'the rate limiter with one mechanism turned off at a time, in simulated time; takes some minutes',
  run: (log) => {
    const measured = mechanisms.map(([name, purpose, without]) => {
      log(name);
      return { name, purpose, ...measure(without) };
    });
    const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
    return Promise.resolve({
      tables: [
        markdownTable(
          ['without', 'its purpose', 'used', 'refused', 'scenarios out of bounds', 'the worst'],
          measured.map(({ name, purpose, used, refused, broken, worst }) => [
            name,
            purpose,
            percent(used),
            percent(refused),
            String(broken.length),
            worst === undefined
              ? ''
              : `${worst.name}: ${percent(worst.used)} used, ${percent(worst.refused)} refused`,
          ]),
        ),
      ],
      figures: measured.map(({ name, used, refused, broken }) => ({ name, used, refused, broken })),
      problems: (measured[0]?.broken ?? []).map(({ name }) => `${name} is out of bounds`),
    });
  },
};

function measure(without: Partial<LimiterSettings>) {
  const results = limitScenarios.map((scenario) => ({
    ...scenario,
    ...simulateLimitScenario(scenario, without),
  }));
  const broken = results
    .filter(({ isWithinBounds }) => !isWithinBounds)
    .map(({ name, used, refused, leastUsed, mostRefused }) => ({
      ...{ name, used, refused },
      /** How far it is out of bounds, as a share of calls. */
      excess: Math.max(leastUsed - used, refused - mostRefused),
    }));
  return {
    used: average(results.map(({ used }) => used)),
    refused: average(results.map(({ refused }) => refused)),
    broken,
    worst: broken.toSorted((one, other) => other.excess - one.excess)[0],
  };
}
