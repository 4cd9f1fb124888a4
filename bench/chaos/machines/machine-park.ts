import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workerProgram } from '../../../client/services/programs.js';
import { copiesFolder } from '../../../storage/stores/local-copies.js';
import { endOf } from '../../servers/local-server.js';
import { eventually } from '../../services/eventually.js';
import { kill } from '../kill-service.js';
import { commandOn, foldersSeenBy, openedElsewhere, seenBy, type Disks } from './disks.js';

/** Where machines are: their homes, and beside them what none of them may need. */
interface Site {
  readonly folder: string;
  readonly disks: Disks;
  /** What every machine is told: addresses and keys. */
  readonly settings: Readonly<Record<string, string>>;
}

/** The machines that work at one site. */
export class MachinePark {
  readonly #starting: Promise<void>[] = [];
  readonly #running = new Map<string, Machine>();
  readonly #atWork = new Set<string>();
  readonly #foreign = new Set<string>();

  constructor(readonly site: Site) {}

  /** Starts a machine; `ready` says when it asks for work. */
  add(name: string): void {
    const starting = startMachine(this.site, name).then((machine) => {
      this.#running.set(name, machine);
    });
    // `ready` tells.
    starting.catch(() => undefined);
    this.#starting.push(starting);
  }

  /** Resolves when all machines ask for work. Rejects if one cannot be started. */
  async ready(): Promise<void> {
    await Promise.all(this.#starting);
  }

  /** For good: its disk goes too. */
  kill(name: string): void {
    this.inspect();
    this.#running.get(name)?.kill();
    this.#running.delete(name);
  }

  /** Which machines have worked so far, and the paths of others that one could find or had open. */
  inspect(): { readonly atWork: readonly string[]; readonly foreign: readonly string[] } {
    for (const { name, hasWorked, foreign } of this.#running.values()) {
      if (hasWorked()) this.#atWork.add(name);
      for (const path of foreign()) this.#foreign.add(`${name}: ${path}`);
    }
    return { atWork: [...this.#atWork], foreign: [...this.#foreign] };
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.#starting);
    await Promise.all([...this.#running.values()].map((machine) => machine.stop()));
  }
}

/** A worker with a disk and a home of its own. */
interface Machine {
  readonly name: string;
  /** Whether it has fetched files to its own disk, as the first work over a store does. */
  readonly hasWorked: () => boolean;
  /** Paths beside its home that it could find, or was seen to have open. */
  readonly foreign: () => readonly string[];
  /** Ends all its processes at once. Returns false if it has ended before. */
  readonly kill: () => boolean;
  readonly stop: () => Promise<void>;
}

const lookEveryMs = 20;
/** What Temporal's SDK logs when a worker begins to poll. */
const asksForWork = "state: 'RUNNING'";

/** Starts a machine, and waits until it asks for work. */
async function startMachine({ folder, disks, settings }: Site, name: string): Promise<Machine> {
  const home = join(folder, name);
  const [program, ...args] = commandOn(disks, folder, home, [
    process.execPath,
    workerProgram('worker'),
  ]);
  // Its disk goes with it, and its log stays.
  const logFile = join(folder, `${name}.log`);
  const log = openSync(logFile, 'w');
  const child: ChildProcess = spawn(program, args, {
    env: {
      ...process.env,
      ...settings,
      TURNWISE_HOME: home,
      TURNWISE_CACHE: join(home, 'cache'),
      TMPDIR: home,
    },
    // A group of its own, so that one signal reaches all its processes.
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const pid = child.pid;
  if (pid === undefined) throw new Error(`Machine ${name} could not be started.`);
  const opened = new Set<string>();
  const look = (): void => {
    for (const path of openedElsewhere(pid, folder, home)) {
      if (path !== logFile) opened.add(path);
    }
  };
  const looking = disks.kind === 'watched' ? setInterval(look, lookEveryMs) : undefined;
  child.once('exit', () => clearInterval(looking));
  await eventually(() => {
    if (child.exitCode !== null) {
      throw new Error(`Machine ${name} ended: ${readFileSync(logFile, 'utf8')}`);
    }
    return readFileSync(logFile, 'utf8').includes(asksForWork) || null;
  });
  return {
    name,
    hasWorked: () => seenBy(disks, pid, join(home, copiesFolder)),
    foreign: () =>
      disks.kind === 'watched'
        ? [...opened]
        : foldersSeenBy(pid, folder).filter((path) => path !== home),
    kill: () => kill(-pid),
    stop: () => endOf(child, 'SIGTERM'),
  };
}
