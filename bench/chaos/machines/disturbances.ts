import { setTimeout as sleep } from 'node:timers/promises';
import type { SimulatedModel } from '../../../simulator/simulated-model.js';
import { eventually } from '../../services/eventually.js';
import type { MachinePark, SharedServers } from './shared-site.js';

/** How long each is away, in seconds. */
export interface Outages {
  readonly objectsSeconds: number;
  readonly milvusSeconds: number;
  readonly keySeconds: number;
}

/** What happens to a run, when so large a part of its calls has been answered. */
export interface Disturbance {
  readonly at: number;
  readonly name: string;
  readonly happen: () => void | Promise<void>;
}

export interface Disturbed {
  readonly outages: Outages;
  readonly servers: SharedServers;
  readonly park: MachinePark;
  readonly model: SimulatedModel;
  readonly isOver: () => boolean;
}

/** Lets them happen one after the other. Resolves to the names of those that did before the run was over. */
export async function disturb(
  disturbances: readonly Disturbance[],
  progress: () => number,
  isOver: () => boolean,
  log: (step: string) => void,
): Promise<readonly string[]> {
  const happened: string[] = [];
  for (const { at, name, happen } of disturbances) {
    await eventually(() => (isOver() || progress() >= at ? true : null));
    if (isOver()) break;
    log(`at ${(100 * progress()).toFixed(0)} % of the calls: ${name}`);
    await happen();
    happened.push(name);
  }
  return happened;
}

/** The death and the arrival of a machine, and an outage of everything that machines share. */
export function disturbancesOf(
  { outages, servers, park, model, isOver }: Disturbed,
  killed: (inFlight: number) => void,
): readonly Disturbance[] {
  const { milvus, objects, temporal } = servers;
  const { milvusSeconds, objectsSeconds, keySeconds } = outages;
  const untilNobodyCalls = (): Promise<void> => nobodyCalls(model, isOver);
  return [
    {
      at: 1 / 6,
      name: 'Milvus is down',
      happen: () => away(milvusSeconds, milvus.kill, untilNobodyCalls, milvus.start),
    },
    {
      at: 1 / 3,
      name: 'machine a is killed for good',
      happen: async () => {
        // So many as have been in flight before, or most of them: a kill between calls would test little.
        await eventually(() => isOver() || isBusy(model) || null);
        killed(model.stats().inFlight);
        park.kill('a');
      },
    },
    {
      at: 1 / 2,
      name: 'the key is refused',
      happen: () =>
        away(
          keySeconds,
          () => model.refuseKeys(true),
          () => eventually(() => isOver() || model.stats().refused > 0 || null),
          () => model.refuseKeys(false),
        ),
    },
    { at: 2 / 3, name: 'machine c is added', happen: () => park.add('c') },
    {
      at: 3 / 4,
      name: 'the object store is down',
      happen: () => away(objectsSeconds, objects.kill, untilNobodyCalls, objects.start),
    },
    { at: 5 / 6, name: 'Postgres is restarted', happen: temporal.postgres.restart },
  ];
}

const isBusy = (model: SimulatedModel): boolean => {
  const { inFlight, peakInFlight } = model.stats();
  return inFlight >= 0.75 * peakInFlight;
};

/** Waits until no call has been in flight for a second: everybody waits for something else. */
async function nobodyCalls(model: SimulatedModel, isOver: () => boolean): Promise<void> {
  const quietLooks = 10;
  let looks = 0;
  let before = -1;
  await eventually(() => {
    const { received, inFlight } = model.stats();
    looks = inFlight === 0 && received === before ? looks + 1 : 0;
    before = received;
    return isOver() || looks >= quietLooks || null;
  });
}

/** Takes something away for some seconds, and longer until that is noticed. */
async function away(
  seconds: number,
  begin: () => void | Promise<void>,
  noticed: () => Promise<unknown>,
  end: () => void | Promise<void>,
): Promise<void> {
  await begin();
  await Promise.all([sleep(1000 * seconds), noticed()]);
  await end();
}
