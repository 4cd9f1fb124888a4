import { setTimeout as sleep } from 'node:timers/promises';
import type { SimulatedModel } from '../../../simulator/simulated-model.js';
import {
  atLeast,
  atMost,
  ratioFindings,
  type Benchmark,
  type Findings,
  type Log,
} from '../../benchmark.js';
import { inKeptFolder } from '../../example-store.js';
import { endsHangingCalls, keepRunning, withRun, type CommandedRun } from '../run-command.js';
import { disksHere, withSharedSite, type SharedSite } from './shared-site.js';

export const ceilingsBenchmark: Benchmark = {
  summary:
    'two machines and one provider account whose ceiling stands only in the text of a 429 and rises to five times as much and falls again; takes twelve minutes',
  run: (log) =>
    inKeptFolder(log, (folder) =>
      withSharedSite({ folder, disks: disksHere(folder), log }, (site) =>
        measureCeilings(site, log),
      ),
    ),
};

/** `requestsPerMinute` of the first and the last level; that of the second is `factor` times as high. */
const settings = {
  ...{ requestsPerMinute: 240, factor: 5, levelSeconds: 180 },
  ...{ budgetTokens: 40_000_000, latencyMs: 2000 },
};
const { requestsPerMinute, factor, levelSeconds, budgetTokens, latencyMs } = settings;

/** Of a level, which is not measured. */
const firstMinute = 60;
/** How long the run may go on after the last level, until its budget ends it. */
const longestEndSeconds = 120;

const run: Omit<CommandedRun, 'home'> = {
  ...{ run: 'ceilings', questions: 400, turns: 18, inFlight: 'auto' },
  options: ['--budget-tokens', String(budgetTokens), ...endsHangingCalls],
  model: {
    ...{ latencyMs, jitter: 0.5, requestsPerMinute, limitHeaders: 'none', limitInBody: true },
    limitChanges: [
      { afterSeconds: levelSeconds, factor },
      { afterSeconds: 2 * levelSeconds, factor: 1 },
    ],
  },
};

/** Two machines, one provider account that states its ceiling only in the text of a 429, and a ceiling that rises and falls. */
function measureCeilings({ home, environment, park }: SharedSite, log: Log): Promise<Findings> {
  const start = performance.now();
  return withRun({ ...run, home, environment }, async ({ model, command: startCommand }) => {
    const command = keepRunning(startCommand, log);
    try {
      const levels: Level[] = [];
      for (const [index, perMinute] of [1, factor, 1].map((f) => f * requestsPerMinute).entries()) {
        const level = await measureLevel(model, start, index * levelSeconds, perMinute);
        const { usedShare, refusedShare } = level;
        log(
          `${perMinute} calls a minute: ${percent(usedShare)} used, ${percent(refusedShare)} refused`,
        );
        levels.push(level);
      }
      log('until the budget is spent');
      await untilQuiet(model);
      const { promptTokens, completionTokens } = model.stats();
      const billed = promptTokens + completionTokens;
      const { atWork } = park.inspect();
      const ratios = [
        ...levels.flatMap(({ perMinute, usedShare, refusedShare }, index) => {
          const name = `level ${index + 1}, ${perMinute} calls a minute`;
          return [
            atLeast(`${name}: % used`, 100 * usedShare, 95),
            atMost(`${name}: % refused`, 100 * refusedShare, 2),
          ];
        }),
        atMost('tokens billed, of the budget', billed / budgetTokens, 1),
        atLeast('machines at work', atWork.length, 2),
      ];
      return ratioFindings(ratios, { settings, result: { levels, billed, budgetTokens, atWork } });
    } finally {
      command.stop();
    }
  });
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** A level of the ceiling without its first minute. */
interface Level {
  readonly perMinute: number;
  readonly seconds: number;
  readonly usedShare: number;
  readonly refusedShare: number;
}

async function measureLevel(
  model: SimulatedModel,
  start: number,
  fromSeconds: number,
  perMinute: number,
): Promise<Level> {
  const until = async (wanted: number) => {
    await sleep(Math.max(0, start + 1000 * wanted - performance.now()));
    const { completed, inFlight, refused } = model.stats();
    // Calls in flight have been accepted.
    return { at: performance.now(), done: completed + inFlight, refused };
  };
  while (fromSeconds === 0 && model.stats().received === 0) await sleep(50);
  const now = (performance.now() - start) / 1000;
  const before = await until(Math.max(fromSeconds, now) + firstMinute);
  const after = await until(fromSeconds + levelSeconds);
  const accepted = after.done - before.done;
  const refused = after.refused - before.refused;
  const seconds = (after.at - before.at) / 1000;
  return {
    perMinute,
    seconds,
    usedShare: accepted / ((seconds / 60) * perMinute),
    refusedShare: refused / Math.max(1, accepted + refused),
  };
}

/** Until no call has come for ten seconds. */
async function untilQuiet(model: SimulatedModel): Promise<void> {
  let last = -1;
  for (let waited = 0; waited < longestEndSeconds; waited += 10) {
    const { received } = model.stats();
    if (received === last) return;
    last = received;
    await sleep(10_000);
  }
}
