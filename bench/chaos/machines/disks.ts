import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { processes } from '../../services/usage.js';

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
export const seenBy = (disks: Disks, pid: number, path: string): boolean =>
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
