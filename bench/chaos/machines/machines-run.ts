import { setTimeout as sleep } from 'node:timers/promises';
import type { SimulatorStats } from '../../../simulator/call-log.js';
import type { SimulatedModel } from '../../../simulator/simulated-model.js';
import {
  atLeast,
  atMost,
  problemsOf,
  ratioFindings,
  type Benchmark,
  type Log,
} from '../../benchmark.js';
import { inKeptFolder } from '../../example-store.js';
import { eventually } from '../../services/eventually.js';
import { checkRun, problemsOfRun, ratiosOfRun, type RunCheck } from '../check-run.js';
import { endsHangingCalls, keepRunning, withRun, type CommandedRun } from '../run-command.js';
import {
  disksHere,
  withSharedSite,
  type Disks,
  type SharedSite,
  type MachinePark,
  type SharedServers,
} from './shared-site.js';

export const machinesBenchmark: Benchmark = {
  summary:
    '500 questions × 10 turns on machines that share addresses only; machines come and go, and Temporal, Milvus, the objects and the key are away; takes half an hour',
  run: (log, { questions = 500, turns = 10, ...options }) =>
    inKeptFolder(log, async (folder) => {
      const settings = {
        ...{ seed: 1, questions, turns, inFlight: Math.min(100, Math.ceil(questions / 5)) },
        model: { latencyMs: 2000, jitter: 0.5 },
        outages: {
          milvusSeconds: options['milvus-down'] ?? 600,
          keySeconds: options['key-refused'] ?? 300,
          objectsSeconds: options['objects-down'] ?? 60,
        },
      };
      const result = await runOnMachines(settings, folder, log);
      const { check, disks, happened, planned, atWork, foreign, restarts, wallMs } = result;
      const others = [
        atLeast('disturbances', happened.length, planned.length),
        atLeast('machines at work', atWork.length, 3),
        atMost('paths of other machines found', foreign.length, 0),
        atMost('times the command failed', restarts, 0),
      ];
      const figures = {
        ...{ settings, seconds: Math.round(wallMs / 1000) },
        stats: { ...result.stats, perQuestion: undefined },
        ...{ check, disks, happened, atWork, foreign, restarts },
      };
      const problems = [...problemsOfRun(check), ...problemsOf(others)];
      return { ...ratioFindings([...ratiosOfRun(check), ...others], figures), problems };
    }),
};

export interface MachinesSettings extends Pick<CommandedRun, 'questions' | 'turns' | 'inFlight'> {
  readonly seed: number;
  readonly model: CommandedRun['model'];
  readonly outages: Outages;
}

export interface MachinesResult {
  /** What happened to the run, and what should have. */
  readonly happened: readonly string[];
  readonly planned: readonly string[];
  readonly disks: Disks;
  /** Machines that have worked over the store. */
  readonly atWork: readonly string[];
  /** Paths of others that a machine could find or had open: `MACHINE: PATH`. */
  readonly foreign: readonly string[];
  /** How often the command was started again. */
  readonly restarts: number;
  readonly inFlightAtKills: number;
  readonly stats: SimulatorStats;
  readonly wallMs: number;
  readonly check: RunCheck;
}

/**
 * An undisturbed run, and the same run while machines come and go and everything that they share is away for a time. They share
 * addresses only.
 * @param folder - an empty folder, for the files of all
 */
export async function runOnMachines(
  settings: MachinesSettings,
  folder: string,
  log: Log,
): Promise<MachinesResult> {
  const disks = disksHere(folder);
  log(
    disks.kind === 'namespaces'
      ? 'each machine has a mount namespace, and a disk of its own in it'
      : `no mount namespaces (${disks.reason}): the open files of each machine are watched instead`,
  );
  return withSharedSite({ folder, disks, log }, async (site) => {
    const { servers, park, home } = site;
    // For the files of the runs, which are read here in the end.
    Object.assign(process.env, servers.objects.environment);
    log('an undisturbed run');
    await ask({ ...settings, model: {} }, site, 'undisturbed', () => [], log);
    log('a disturbed run');
    let inFlightAtKills = 0;
    const disturbing: Disturbing = (model, isOver) =>
      disturbancesOf({ outages: settings.outages, servers, park, model, isOver }, (inFlight) => {
        inFlightAtKills += inFlight;
      });
    const disturbed = await ask(settings, site, 'disturbed', disturbing, log);
    await park.ready();
    const result = { ...disturbed, ...park.inspect(), inFlightAtKills, disks };
    const place = { ...settings, home, run: 'disturbed', storage: servers.storage };
    return { ...result, check: await checkRun(place, 'undisturbed', result) };
  });
}

type Disturbing = (model: SimulatedModel, isOver: () => boolean) => readonly Disturbance[];

/** Carries a run to its end by a command on a machine that is no worker. */
function ask(
  { seed, model: endpoint, ...settings }: MachinesSettings,
  { home, environment }: SharedSite,
  run: string,
  disturbing: Disturbing,
  log: Log,
): Promise<Pick<MachinesResult, 'happened' | 'planned' | 'restarts' | 'stats' | 'wallMs'>> {
  const asked = { ...settings, model: { ...endpoint, seed }, options: endsHangingCalls };
  return withRun({ ...asked, home, run, environment }, async ({ model, command: start }) => {
    const startMs = performance.now();
    const command = keepRunning(start, log);
    let isOver = false;
    const disturbances = disturbing(model, () => isOver);
    const answered = (): number =>
      model.stats().distinctCompleted / (settings.questions * settings.turns);
    try {
      const [happened] = await Promise.all([
        disturb(disturbances, answered, () => isOver, log),
        command.done.then(() => {
          isOver = true;
        }),
      ]);
      return {
        happened,
        planned: disturbances.map(({ name }) => name),
        restarts: command.restarts(),
        stats: model.stats(),
        wallMs: performance.now() - startMs,
      };
    } finally {
      command.stop();
    }
  });
}

/** How long each is away, in seconds. */
interface Outages {
  readonly objectsSeconds: number;
  readonly milvusSeconds: number;
  readonly keySeconds: number;
}

/** What happens to a run, when so large a part of its calls has been answered. */
interface Disturbance {
  readonly at: number;
  readonly name: string;
  readonly happen: () => void | Promise<void>;
}

interface Disturbed {
  readonly outages: Outages;
  readonly servers: SharedServers;
  readonly park: MachinePark;
  readonly model: SimulatedModel;
  readonly isOver: () => boolean;
}

/** Lets them happen one after the other. Resolves to the names of those that did before the run was over. */
async function disturb(
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
function disturbancesOf(
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
