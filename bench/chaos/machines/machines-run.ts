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
import { checkRun, problemsOfRun, ratiosOfRun, type RunCheck } from '../check-run.js';
import { endsHangingCalls, keepRunning, withRun, type CommandedRun } from '../run-command.js';
import { disksHere, withSharedSite, type Disks, type SharedSite } from './shared-site.js';
import { disturb, disturbancesOf, type Disturbance, type Outages } from './disturbances.js';

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
