import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { accepts } from '../../worker/embedded/service.js';

/** A server of a test's own that can go away and come back. */
export interface LocalServer {
  /** As a power failure would: SIGKILL. */
  readonly kill: () => Promise<void>;
  /** SIGSTOP: it keeps its connections and answers nothing, until SIGCONT. */
  readonly signal: (signal: 'SIGSTOP' | 'SIGCONT') => void;
  /** Again, on the same port and data. */
  readonly start: () => Promise<void>;
}

/** Starts a program that listens at `address`, and waits until it accepts connections. */
export async function startLocalServer(
  what: string,
  address: string,
  [program, ...args]: readonly [string, ...string[]],
): Promise<LocalServer> {
  let server: ChildProcess;
  const start = async (): Promise<void> => {
    server = spawn(program, args, { stdio: 'ignore' });
    while (!(await accepts(address))) {
      if (server.exitCode !== null) throw new Error(`${what} ended with ${server.exitCode}.`);
      await sleep(20);
    }
  };
  await start();
  return {
    kill: () => endOf(server, 'SIGKILL'),
    signal: (signal) => void server.kill(signal),
    start,
  };
}

/** Ends a process, which may have ended by itself. */
export async function endOf(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

const longestLog = 20_000;

/** Starts a program, and waits until it says that it is ready. */
export async function startThatSays(
  what: string,
  ready: string,
  [program, ...args]: readonly [string, ...string[]],
  options: SpawnOptions = {},
): Promise<ChildProcess> {
  const server = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  await new Promise<void>((resolve, reject) => {
    for (const stream of [server.stdout, server.stderr]) {
      stream.on('data', (text: Buffer) => {
        log = (log + text.toString()).slice(-longestLog);
        if (log.includes(ready)) resolve();
      });
    }
    server.once('exit', () => reject(new Error(`${what} ended: ${log}`)));
    server.once('error', reject);
  });
  return server;
}
