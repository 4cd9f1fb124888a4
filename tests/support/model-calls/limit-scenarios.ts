import { simulateAccount, type Outcome, type Scenario } from './simulated-account.js';

/** A part of a scenario, in minutes from its start, and the limit that holds in it. */
interface LimitedTime {
  readonly from: number;
  readonly to: number;
  readonly perMinute: number;
}

interface LimitScenario {
  readonly name: string;
  readonly scenario: Omit<Scenario, 'seed'>;
  readonly times: readonly LimitedTime[];
  /** The least share of the limit that must be used in each of `times`. */
  readonly leastUsed: number;
  /** Whether the bound holds for each seed, or for the average of all seeds if results vary more. */
  readonly usedBy: 'each' | 'average';
  /** The largest share of the calls that may be refused, for each seed. */
  readonly mostRefused: number;
  /** Whether that share is of all calls, or of those in each of `times`. @defaultValue 'all' */
  readonly refusedOf?: 'all' | 'times';
}

interface LimitResult {
  /** The lowest share of the limit used in any of `times`. */
  readonly used: number;
  readonly refused: number;
}

const seeds = [1, 2, 3];

export function simulateLimitScenario(
  { scenario, times, usedBy, refusedOf = 'all' }: LimitScenario,
  settings: NonNullable<Scenario['settings']> = {},
): LimitResult {
  const outcomes = seeds.map((seed) => simulateAccount({ seed, settings, ...scenario }));
  const used = Math.min(
    ...times.map((time) => {
      const shares = outcomes.map((outcome) => shareUsed(outcome, time));
      return usedBy === 'each' ? Math.min(...shares) : average(shares);
    }),
  );
  const refusedShares = outcomes.flatMap((outcome) =>
    refusedOf === 'all'
      ? [outcome.refusedShare]
      : times.map(({ from, to }) => outcome.refusedShareIn(from, to)),
  );
  const refused = Math.max(...refusedShares);
  return { used, refused };
}

const average = (shares: readonly number[]): number =>
  shares.reduce((sum, share) => sum + share, 0) / shares.length;

const shareUsed = ({ accepted }: Outcome, { from, to, perMinute: limit }: LimitedTime): number =>
  accepted.slice(from, to).reduce((sum, units) => sum + units, 0) / (limit * (to - from));

const perMinute = 600;
const tokensPerMinute = 600_000;
/** They offer three times the allowed load, at two seconds a call. */
const callers = 60;
const requests = { limits: { requestsPerMinute: perMinute } };
const tokens = { limits: { tokensPerMinute }, tokens: [300, 1700] } as const;
const twoWorkers = { workers: 2 };
const twoReporting = { workers: 2, reports: true };

type Headers = Exclude<Scenario['headers'], 'body' | undefined>;
const headerLabels: Readonly<Record<Headers, string>> = {
  all: 'all headers',
  'retry-after': 'only Retry-After',
  none: 'no headers',
};

function scenariosOf(headers: Headers): readonly LimitScenario[] {
  const usual = { minutes: 5, headers, callers };
  const steady = (
    name: string,
    scenario: Pick<Scenario, 'limits'> & Partial<Scenario>,
    bounds: Partial<LimitScenario> = {},
  ): LimitScenario => {
    const limit = scenario.limits.tokensPerMinute ?? perMinute;
    const minutes = scenario.minutes ?? usual.minutes;
    return {
      name: `${headerLabels[headers]}: ${name}`,
      scenario: { ...usual, ...scenario },
      times: [{ from: 1, to: minutes, perMinute: limit }],
      leastUsed: 0.95,
      usedBy: 'each',
      mostRefused: 0.02,
      ...bounds,
    };
  };
  const burst = (burstSeconds: number) => ({ limits: { ...requests.limits, burstSeconds } });
  const changing = (name: string, settings: Partial<Scenario>): LimitScenario =>
    steady(
      `a limit that halves and doubles, ${name}`,
      { minutes: 8, limits: { ...requests.limits, limitChanges }, ...settings },
      {
        times: [
          { from: 1, to: 2, perMinute },
          { from: 3, to: 5, perMinute: perMinute / 2 },
          { from: 6, to: 8, perMinute },
        ],
        // The limiter learns of each change only through refused calls.
        mostRefused: 0.025,
      },
    );
  const byMinute = { minutes: 6, limits: { ...requests.limits, limitKind: 'minute' } } as const;
  const quiet = {
    times: [2, 4, 6].map((from) => ({ from, to: from + 1, perMinute })),
    // Callers that pause return within the first third of a minute.
    leastUsed: 0.9,
  };
  return [
    steady('requests', requests),
    steady('requests, with little burst', burst(1)),
    steady('requests, with a minute of burst', burst(60)),
    steady('requests, two workers', { ...requests, ...twoWorkers }),
    steady('requests, two workers that report', { ...requests, ...twoReporting }),
    steady(
      'requests, uneven workers',
      { ...requests, ...twoReporting, callers: [70, 4] },
      { leastUsed: 0.9 },
    ),
    steady('requests, fixed concurrency', { ...requests, concurrency: 'fixed' }),
    steady('requests, slow replies', { ...requests, latencyMs: 10_000, callers: 300 }),
    steady('requests, quiet minutes', { ...requests, minutes: 7, quietMinutes: true }, quiet),
    steady('tokens', tokens),
    steady('tokens, two workers', { ...tokens, ...twoWorkers }),
    steady('tokens, two workers that report', { ...tokens, ...twoReporting }),
    steady('tokens, short completions', { ...tokens, completion: { used: 400, allowed: 4000 } }),
    steady('tokens, and more requests than needed', {
      ...tokens,
      limits: { tokensPerMinute, requestsPerMinute: 900 },
    }),
    changing('one worker', {}),
    changing('slow replies', { latencyMs: 6600, callers: 200 }),
    changing('two workers', twoWorkers),
    changing('two workers that report', twoReporting),
    steady('a limit by the minute', byMinute),
    // Left out without headers: there each worker learns only from its own refused calls that the minute is used up.
    ...(headers === 'none'
      ? []
      : [
          steady('a limit by the minute, two workers that report', {
            ...byMinute,
            ...twoReporting,
          }),
        ]),
  ];
}

const jumps = [
  { afterSeconds: 240, factor: 5 },
  { afterSeconds: 480, factor: 1 },
];

/** A ceiling that stands nowhere, or only in the texts of refusals, and moves far. */
function jumping(
  name: string,
  limit: number,
  scenario: Pick<Scenario, 'limits'>,
  headers: 'body' | 'none',
): LimitScenario {
  return {
    name: `${headers === 'body' ? 'only in the body' : 'no headers'}: a limit of ${name} that rises to five times as much and falls again, two workers that report`,
    scenario: {
      ...{ ...twoReporting, minutes: 12, callers: 150, headers },
      ...scenario,
      limits: { ...scenario.limits, limitChanges: jumps },
    },
    times: [
      { from: 1, to: 4, perMinute: limit },
      { from: 5, to: 8, perMinute: 5 * limit },
      { from: 9, to: 12, perMinute: limit },
    ],
    leastUsed: 0.95,
    usedBy: 'each',
    mostRefused: 0.02,
    refusedOf: 'times',
  };
}

const limitChanges = [
  { afterSeconds: 120, factor: 0.5 },
  { afterSeconds: 300, factor: 1 },
];

const spuriousShare = 0.02;
const faulty = { callers: 100, minutes: 8, spuriousShare };
const killed = { ...faulty, reports: true, failureShare: 0.045, lifeSeconds: [10, 70] } as const;

function unlimited(name: string, leastUsed: number, scenario: Partial<Scenario>): LimitScenario {
  return {
    name: `spurious 429s, no limit: ${name}`,
    scenario: { ...faulty, limits: {}, ...scenario },
    // 100 callers at two seconds a call.
    times: [{ from: 2, to: 8, perMinute: 3000 }],
    leastUsed,
    usedBy: 'average',
    mostRefused: 1,
  };
}

function faultyLimited(
  name: string,
  scenario: Partial<Scenario>,
  bounds: Partial<LimitScenario> = {},
): LimitScenario {
  return {
    name,
    scenario: { ...faulty, ...requests, ...scenario },
    times: [{ from: 2, to: 8, perMinute }],
    leastUsed: 0.6,
    usedBy: 'each',
    mostRefused: spuriousShare + 0.02,
    ...bounds,
  };
}

/** All scenarios in which the rate limiter must stay within bounds, in simulated time. */
export const limitScenarios: readonly LimitScenario[] = [
  ...scenariosOf('all'),
  ...scenariosOf('retry-after'),
  ...scenariosOf('none'),
  jumping('requests', perMinute, requests, 'none'),
  jumping('tokens', tokensPerMinute, tokens, 'none'),
  jumping('requests', perMinute, requests, 'body'),
  jumping('tokens', tokensPerMinute, tokens, 'body'),
  unlimited('one worker', 0.6, {}),
  unlimited('fixed concurrency', 0.6, { concurrency: 'fixed' }),
  unlimited('two workers that report', 0.6, { ...twoReporting, callers: 50 }),
  unlimited('server errors as well', 0.6, { failureShare: 0.045 }),
  unlimited('a worker that is killed repeatedly', 0.5, killed),
  unlimited('two workers that are killed repeatedly', 0.5, { ...killed, workers: 2, callers: 50 }),
  faultyLimited('spurious 429s: requests', {}),
  faultyLimited('spurious 429s: requests, two workers that report', twoReporting),
  faultyLimited('spurious 429s: requests, a worker that is killed repeatedly', killed, {
    leastUsed: 0.5,
    usedBy: 'average',
  }),
  faultyLimited(
    'requests, a worker that is killed repeatedly',
    { ...killed, spuriousShare: 0, failureShare: 0 },
    { times: [{ from: 1, to: 8, perMinute }], leastUsed: 0.9, mostRefused: 0.02 },
  ),
  {
    name: 'no limit',
    scenario: { minutes: 2, limits: {}, callers },
    times: [{ from: 1, to: 2, perMinute: callers * 30 }],
    leastUsed: 0.97,
    usedBy: 'each',
    mostRefused: 0,
  },
  {
    name: 'no limit, fixed concurrency',
    scenario: { minutes: 1, limits: {}, callers, concurrency: 'fixed' },
    times: [{ from: 0, to: 1, perMinute: callers * 30 }],
    leastUsed: 0.97,
    usedBy: 'each',
    mostRefused: 0,
  },
];
