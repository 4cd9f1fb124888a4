import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  closeSync,
  openSync,
  readFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { workerProgram } from '../../../client/services/programs.js';
import { copiesFolder } from '../../../storage/stores/local-copies.js';
import { namedServer } from '../../../temporal/server-settings.js';
import type { Log } from '../../benchmark.js';
import { ingestExamplePapers } from '../../example-store.js';
import {
  endOf,
  startMilvusLite,
  startObjectServer,
  type TestMilvus,
  type ObjectServer,
} from '../../servers/local-server.js';
import { createNamespace, startOwnServer, type OwnServer } from '../../servers/own-server.js';
import { eventually } from '../../services/eventually.js';
import { processes } from '../../services/usage.js';
import { kill } from '../command-line.js';

/** What machines share: Temporal over Postgres, Milvus and an object store, each by its address. */
export interface SharedServers {
  readonly temporal: OwnServer;
  readonly milvus: TestMilvus;
  readonly objects: ObjectServer;
  /** TURNWISE_STORAGE */
  readonly storage: string;
  /** The environment of a process that uses them. */
  readonly settings: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

/** @param folder - where Milvus and the object store keep their data */
async function startSharedServers(folder: string): Promise<SharedServers> {
  const data = join(folder, 'servers');
  await mkdir(data);
  const [temporal, milvus, objects] = await Promise.all([
    startOwnServer(),
    startMilvusLite(data),
    startObjectServer(data),
  ]);
  const storage = `s3://${objects.bucket}/benchmarks`;
  const settings = {
    ...objects.environment,
    TURNWISE_STORAGE: storage,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: 'machines',
    MILVUS_ADDRESS: milvus.address,
    OPENAI_API_KEY: 'sk-chaos',
  };
  const named = namedServer(settings);
  if (named === undefined) throw new Error('no server is named');
  await createNamespace(named, 1);
  return {
    ...{ temporal, milvus, objects, storage, settings },
    stop: async () => {
      await Promise.all([temporal.stop(), milvus.remove(), objects.stop()]);
    },
  };
}

/** Machines and what they share. */
export interface SharedSite {
  readonly servers: SharedServers;
  readonly park: MachinePark;
  /** TURNWISE_HOME of the commands, which is on no machine. */
  readonly home: string;
  /** More of their environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Works with the machines `a` and `b`, and a store of the example papers. @param folder - an empty folder, for the files of all */
export async function withSharedSite<T>(
  { folder, disks, log }: { readonly folder: string; readonly disks: Disks; readonly log: Log },
  work: (site: SharedSite) => Promise<T>,
): Promise<T> {
  const servers = await startSharedServers(folder);
  const environment = servers.settings;
  const park = new MachinePark({ folder, disks, settings: environment });
  const home = join(folder, 'client');
  try {
    for (const name of ['a', 'b']) park.add(name);
    await park.ready();
    await ingestExamplePapers(home, log, environment);
    return await work({ servers, park, home, environment });
  } finally {
    await park.stop();
    await servers.stop();
  }
}

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

/** How machines are kept from each other's files. */
export type Disks =
  | {
      /** Each has a file system of its own where the folder of all is: it has no name for files of others. */
      readonly kind: 'namespaces';
    }
  | {
      /** The files that their processes have open are looked at all the time. */
      readonly kind: 'watched';
      readonly reason: string;
    };

const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
const unshare = ['unshare', '--mount', ...asRoot, '--'] as const;
/** Mounts a new disk on its first argument, makes its second, a folder on it, and becomes the rest. */
const onNewDisk = 'mount -t tmpfs disk "$1" && mkdir "$2" && shift 2 && exec "$@"';

/** The command that becomes `command` on a disk of its own with nothing but `home`, in the same process. */
const isolated = (
  folder: string,
  home: string,
  command: readonly string[],
): readonly [string, ...string[]] => [
  ...unshare,
  ...['sh', '-c', onNewDisk, 'machine', folder, home],
  ...command,
];

/** Finds out what this system allows. */
export function disksHere(folder: string): Disks {
  const [program, ...args] = isolated(folder, join(folder, 'trial'), ['true']);
  const { error, status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return { kind: 'namespaces' };
  return { kind: 'watched', reason: error?.message ?? stderr.trim() };
}

/** The command that starts a machine's program with its home, which is made. */
export function commandOn(
  disks: Disks,
  folder: string,
  home: string,
  command: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  if (disks.kind === 'namespaces') return isolated(folder, home, command);
  mkdirSync(home);
  return command;
}

/** Whether a machine's process finds a file or folder under a path. */
const seenBy = (disks: Disks, pid: number, path: string): boolean =>
  existsSync(disks.kind === 'watched' ? path : rootOf(pid, path));

/** A process in a namespace has a root of its own. */
const rootOf = (pid: number, path: string): string => `/proc/${pid}/root${path}`;

/** What a process finds in a folder, in its namespace. */
export const foldersSeenBy = (pid: number, folder: string): readonly string[] =>
  readdirSync(rootOf(pid, folder)).map((name) => join(folder, name));

/** The files in `folder`, but not in `home`, that the processes of a group have open. */
export function openedElsewhere(group: number, folder: string, home: string): readonly string[] {
  return [...processes()]
    .flatMap(([pid, process]) => (process.group === group ? openFiles(pid) : []))
    .filter((path) => path.startsWith(folder) && !path.startsWith(`${home}/`));
}

/** None of a process that has ended meanwhile. */
const openFiles = (pid: number): readonly string[] =>
  orNothing(() => readdirSync(`/proc/${pid}/fd`)).flatMap((fd) =>
    orNothing(() => [readlinkSync(`/proc/${pid}/fd/${fd}`)]),
  );

function orNothing(read: () => readonly string[]): readonly string[] {
  try {
    return read();
  } catch {
    return [];
  }
}
