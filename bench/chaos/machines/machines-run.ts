import { join } from 'node:path';
import type { SimulatorStats } from '../../../simulator/call-log.js';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import type { SimulatorSettings } from '../../../simulator/simulator-options.js';
import { ingestExamplePapers } from '../../example-store.js';
import { checkRun, type RunCheck } from '../check-run.js';
import { startRunCommand } from '../run-command.js';
import { disksHere, type Disks } from './disks.js';
import { disturb, disturbancesOf, type Disturbance, type Outages } from './disturbances.js';
import { MachinePark } from './machine-park.js';
import { startSharedServers } from './shared-servers.js';

export interface MachinesSettings {
  readonly seed: number;
  readonly questions: number;
  readonly turns: number;
  readonly inFlight: number;
  readonly model: Pick<SimulatorSettings, 'latencyMs' | 'jitter'>;
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
  log: (step: string) => void,
): Promise<MachinesResult> {
  const disks = disksHere(folder);
  log(
    disks.kind === 'namespaces'
      ? 'each machine has a mount namespace, and a disk of its own in it'
      : `no mount namespaces (${disks.reason}): the open files of each machine are watched instead`,
  );
  const servers = await startSharedServers(folder);
  const environment = { ...servers.settings, OPENAI_API_KEY: 'sk-chaos' };
  const park = new MachinePark({ folder, disks, settings: environment });
  // For the files of the runs, which are read here in the end.
  Object.assign(process.env, servers.objects.environment);
  const home = join(folder, 'client');
  const asked = { ...settings, home, environment, log };
  try {
    for (const name of ['a', 'b']) park.add(name);
    await park.ready();
    await ingestExamplePapers(home, log, environment);
    log('an undisturbed run');
    const nothing: Disturbing = () => [];
    await ask({ ...asked, model: {} }, 'undisturbed', nothing);
    log('a disturbed run');
    let inFlightAtKills = 0;
    const disturbed = await ask(asked, 'disturbed', (model, isOver) =>
      disturbancesOf({ outages: settings.outages, servers, park, model, isOver }, (inFlight) => {
        inFlightAtKills += inFlight;
      }),
    );
    await park.ready();
    const { atWork, foreign } = park.inspect();
    const result = { ...disturbed, inFlightAtKills, disks, atWork, foreign };
    const place = { ...settings, home, run: 'disturbed', storage: servers.storage };
    return { ...result, check: await checkRun(place, 'undisturbed', result) };
  } finally {
    await park.stop();
    await servers.stop();
  }
}

type Disturbing = (model: SimulatedModel, isOver: () => boolean) => readonly Disturbance[];

type Asked = MachinesSettings & {
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly log: (step: string) => void;
};

/** Carries a run to its end by a command on a machine that is no worker. */
async function ask(
  { home, environment, log, ...settings }: Asked,
  run: string,
  disturbing: Disturbing,
): Promise<Pick<MachinesResult, 'happened' | 'planned' | 'restarts' | 'stats' | 'wallMs'>> {
  const { seed, questions, turns } = settings;
  const model = await startSimulatedModel({
    ...settings.model,
    seed,
    script: { questions: [], prompts: [], generated: { turns } },
  });
  const start = performance.now();
  const command = startRunCommand(
    { ...settings, home, run },
    { ...environment, TURNWISE_HOME: home, OPENAI_BASE_URL: model.url },
    log,
  );
  let isOver = false;
  const disturbances = disturbing(model, () => isOver);
  const answered = (): number => model.stats().distinctCompleted / (questions * turns);
  const untilOver = async (): Promise<void> => {
    await command.done;
    isOver = true;
  };
  try {
    const [happened] = await Promise.all([
      disturb(disturbances, answered, () => isOver, log),
      untilOver(),
    ]);
    return {
      happened,
      planned: disturbances.map(({ name }) => name),
      restarts: command.restarts(),
      stats: model.stats(),
      wallMs: performance.now() - start,
    };
  } finally {
    command.stop();
    await model.close();
  }
}
