import { defaultSettings, type LimiterSettings } from '../domain/rate-limits/settings.js';
import { markdownTable, type Benchmark } from './benchmark.js';
import {
  limitScenarios,
  simulateLimitScenario,
  type LimitScenario,
} from './limits/limit-scenarios.js';

interface Mechanism {
  readonly name: string;
  readonly purpose: string;
  /** Settings that turn it off. */
  readonly without: Partial<LimiterSettings>;
}

const never = 1e9;

const mechanisms: readonly Mechanism[] = [
  { name: 'nothing: all are on', purpose: '', without: {} },
  {
    name: 'a measured pace grows',
    purpose: 'find a limit that was raised',
    without: { doublingSeconds: never },
  },
  {
    name: 'a guessed pace grows at once',
    purpose: 'measure the limit after a cut',
    without: { guessGrowth: 0 },
  },
  {
    name: 'use 98 % of the estimate',
    purpose: 'let the allowance recover',
    without: { targetShare: 1 },
  },
  {
    name: 'no calls for a while after a cut',
    purpose: 'admit larger calls',
    without: { restCalls: 0 },
  },
  {
    name: 'a deeper first cut',
    purpose: 'undo the last doubling',
    without: { firstCut: defaultSettings.cut },
  },
  {
    name: 'measure over five seconds',
    purpose: 'not mistake noise for a limit',
    without: { measuredMs: 0, measuredCalls: 0 },
  },
  {
    name: 'forget counts of a lower limit',
    purpose: 'measure a raised limit',
    without: { raisedFactor: never },
  },
  {
    name: 'compensate for late timers',
    purpose: 'use all of a limit that allows little burst',
    without: { slackMs: 0 },
  },
  {
    name: 'trust the accepted rate',
    purpose: 'keep the pace after spurious 429s',
    without: { trustAccepted: 0 },
  },
  {
    name: 'log spurious 429s from a limit',
    purpose: 'keep the pace after spurious 429s, at any pace',
    without: { spuriousTogether: 0 },
  },
  {
    name: 'recognise accounts with spurious 429s',
    purpose: 'tolerate more of them',
    without: { spuriousToKnow: never },
  },
  {
    name: 'forget spurious 429s',
    purpose: 'notice limits again',
    without: { callsASpurious: never },
  },
  {
    name: 'allow for usual server errors',
    purpose: 'grow in spite of such errors',
    without: { usualErrorShare: 0 },
  },
  {
    name: 'pauses while every call is refused',
    purpose: 'wait for a new window',
    without: { firstPauseMs: 0 },
  },
  {
    name: 'each pause longer than the last',
    purpose: 'wait for a new window with fewer refusals',
    without: { longestPauseMs: defaultSettings.firstPauseMs },
  },
  {
    name: 'no growth during many server errors',
    purpose: 'spare an overloaded server',
    without: { serverErrorMs: 0 },
  },
];

/** Turns off one mechanism of the rate limiter at a time and reports which bounds no longer hold. */
export const ablationBenchmark: Benchmark = {
  summary:
    'the rate limiter with one mechanism turned off at a time, in simulated time; takes some minutes',
  run: (log) => {
    const measured = mechanisms.map((mechanism) => {
      log(mechanism.name);
      return { ...mechanism, ...measure(mechanism.without) };
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
    scenario,
    ...simulateLimitScenario(scenario, without),
  }));
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const broken = results
    .filter(({ isWithinBounds }) => !isWithinBounds)
    .map(({ scenario, used, refused }) => ({
      name: scenario.name,
      used,
      refused,
      excess: excessOf(scenario, used, refused),
    }));
  return {
    used: mean(results.map(({ used }) => used)),
    refused: mean(results.map(({ refused }) => refused)),
    broken,
    worst: broken.toSorted((one, other) => other.excess - one.excess)[0],
  };
}

/** How far a result is out of bounds, as a share of calls. */
const excessOf = (
  { leastUsed, mostRefused }: LimitScenario,
  used: number,
  refused: number,
): number => Math.max(leastUsed - used, refused - mostRefused);
