import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import { ingestExamplePapers } from '../../example-store.js';
import { startRunCommand } from '../run-command.js';
import { disksHere } from './disks.js';
import { MachinePark } from './machine-park.js';
import { startSharedServers } from './shared-servers.js';

export interface CeilingsSettings {
  /** The ceiling of the first and the last level. That of the second is `factor` times as high. */
  readonly requestsPerMinute: number;
  readonly factor: number;
  readonly levelSeconds: number;
  /** The budget of the run. */
  readonly budgetTokens: number;
  readonly latencyMs: number;
}

/** A level of the ceiling without its first minute. */
export interface Level {
  readonly perMinute: number;
  readonly seconds: number;
  readonly usedShare: number;
  readonly refusedShare: number;
}

export interface CeilingsResult {
  readonly levels: readonly Level[];
  /** Tokens that the provider has billed. */
  readonly billed: number;
  readonly budgetTokens: number;
  /** Machines that have worked over the store. */
  readonly atWork: readonly string[];
}

const firstMinute = 60;
/** How long the run may go on after the last level, until its budget ends it. */
const longestEndSeconds = 120;

/**
 * Two machines that share addresses only, one provider account that states its ceiling only in the text of a 429, and a ceiling
 * that rises and falls.
 * @param folder - an empty folder, for the files of all
 */
export async function runUnderCeilings(
  settings: CeilingsSettings,
  folder: string,
  log: (step: string) => void,
): Promise<CeilingsResult> {
  const { levelSeconds, factor, requestsPerMinute, budgetTokens, latencyMs } = settings;
  const servers = await startSharedServers(folder);
  const environment = { ...servers.settings, OPENAI_API_KEY: 'sk-chaos' };
  const park = new MachinePark({ folder, disks: disksHere(folder), settings: environment });
  const home = join(folder, 'client');
  try {
    for (const name of ['a', 'b']) park.add(name);
    await park.ready();
    await ingestExamplePapers(home, log, environment);
    const start = performance.now();
    const model = await startSimulatedModel({
      latencyMs,
      jitter: 0.5,
      requestsPerMinute,
      limitHeaders: 'none',
      limitInBody: true,
      limitChanges: [
        { afterSeconds: levelSeconds, factor },
        { afterSeconds: 2 * levelSeconds, factor: 1 },
      ],
      script: { questions: [], prompts: [], generated: { turns: 18 } },
    });
    const command = startRunCommand(
      {
        ...{ home, run: 'ceilings', questions: 400, inFlight: 'auto' },
        options: ['--budget-tokens', String(budgetTokens)],
      },
      { ...environment, TURNWISE_HOME: home, OPENAI_BASE_URL: model.url },
      log,
    );
    try {
      const levels: Level[] = [];
      for (const [index, perMinute] of [1, factor, 1].map((f) => f * requestsPerMinute).entries()) {
        const from = index * levelSeconds;
        const level = await measureLevel(model, start, from, from + levelSeconds, perMinute);
        log(
          `${perMinute} calls a minute: ${percent(level.usedShare)} used, ${percent(level.refusedShare)} refused`,
        );
        levels.push(level);
      }
      log('until the budget is spent');
      await untilQuiet(model);
      const { promptTokens, completionTokens } = model.stats();
      const { atWork } = park.inspect();
      return { levels, billed: promptTokens + completionTokens, budgetTokens, atWork };
    } finally {
      command.stop();
      await model.close();
    }
  } finally {
    await park.stop();
    await servers.stop();
  }
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

async function measureLevel(
  model: SimulatedModel,
  start: number,
  fromSeconds: number,
  toSeconds: number,
  perMinute: number,
): Promise<Level> {
  const until = async (seconds: number): Promise<{ at: number; done: number; refused: number }> => {
    await sleep(Math.max(0, start + 1000 * seconds - performance.now()));
    const { completed, inFlight, refused } = model.stats();
    // Calls in flight have been accepted.
    return { at: performance.now(), done: completed + inFlight, refused };
  };
  while (fromSeconds === 0 && model.stats().received === 0) await sleep(50);
  const now = (performance.now() - start) / 1000;
  const before = await until(Math.max(fromSeconds, now) + firstMinute);
  const after = await until(toSeconds);
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
