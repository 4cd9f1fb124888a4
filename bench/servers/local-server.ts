import { spawn, type ChildProcess } from 'node:child_process';
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
