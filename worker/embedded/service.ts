import getPort, { clearLockedPorts, portNumbers } from 'get-port';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName } from '../../domain/services.js';
import { signalGroup } from '../adapters/graph/run-program.js';
import { timeLimit } from '../adapters/time-limit.js';
import { EmbeddedFailure } from './setup-context.js';

/** How a service is started, recognised and found ready. */
export interface ServiceSpec {
  readonly name: ServiceName;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly logPath: string;
  /** See `RecordedProcess.commandMark`. */
  readonly commandMark: string;
  /** Whether it gets an IPC channel for messages to and from the supervisor. */
  readonly channel: 'none' | 'ipc';
  readonly startTimeoutMs: number;
  readonly stopGraceMs: number;
  /** Resolves once it is ready; rejects if `signal` aborts first. */
  readonly ready: (child: ChildProcess, signal: AbortSignal) => Promise<void>;
}

/** Events of a service that is kept running. `onSpawned` is called in the tick in which the process starts. */
export interface ServiceEvents {
  readonly onSpawned: (spec: ServiceSpec, pid: number) => void;
  readonly onRestarted: (spec: ServiceSpec, reason: string) => void;
  readonly onGivenUp: (spec: ServiceSpec, reason: string) => void;
}

export interface Service {
  readonly name: ServiceName;
  /** Resolves to undefined once the service is ready, or to the reason why it could not be started. */
  readonly start: () => Promise<string | undefined>;
  /** Sends SIGTERM, and SIGKILL after the grace period or when `hurry` aborts. */
  readonly stop: (hurry: AbortSignal) => Promise<void>;
}

interface Life {
  readonly child: ChildProcess;
  /** Resolves to a description of how it ended. */
  readonly ended: Promise<string>;
  readonly failure: string | undefined;
  readonly since: number;
}

/** A service that is restarted, always with the same command and port, until `stop` is called. */
export function createService(spec: ServiceSpec, events: ServiceEvents): Service {
  const stopping = new AbortController();
  let life: Life | undefined;
  let keeping: Promise<void> = Promise.resolve();

  async function launch(): Promise<Life> {
    const child = spawnService(spec);
    const gone = new AbortController();
    const ended = endOf(child).then((how) => {
      gone.abort();
      return how;
    });
    if (child.pid !== undefined) events.onSpawned(spec, child.pid);
    const limit = timeLimit(spec.startTimeoutMs);
    const since = performance.now();
    life = { child, ended, since, failure: undefined };
    const signal = AbortSignal.any([gone.signal, limit, stopping.signal]);
    try {
      await spec.ready(child, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      const failure = gone.signal.aborted ? await ended : notReady(spec);
      if (!gone.signal.aborted && !stopping.signal.aborted) signalChild(child, 'SIGKILL');
      life = { ...life, failure };
    }
    return life;
  }

  async function keep(first: Life): Promise<void> {
    let current = first;
    let quickDeaths = 0;
    while (!stopping.signal.aborted) {
      const how = await current.ended;
      if (isAborted(stopping.signal)) return;
      const steady = performance.now() - current.since >= steadyAfterMs;
      quickDeaths = steady && current.failure === undefined ? 1 : quickDeaths + 1;
      const reason = current.failure ?? how;
      const decision = afterDeath(quickDeaths);
      if (decision.kind === 'give-up') {
        events.onGivenUp(spec, reason);
        return;
      }
      await sleep(decision.delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (isAborted(stopping.signal)) return;
      current = await launch();
      if (current.failure === undefined) events.onRestarted(spec, reason);
    }
  }

  return {
    name: spec.name,
    start: async () => {
      const first = await launch();
      if (first.failure === undefined) keeping = keep(first);
      return first.failure;
    },
    stop: async (hurry) => {
      stopping.abort();
      if (life) await end(life, spec.stopGraceMs, hurry);
      await keeping;
      // A restart during the stop has made a new process.
      if (life) await end(life, spec.stopGraceMs, hurry);
    },
  };
}

// A function, since the compiler assumes that `signal.aborted` does not change between two reads.
const isAborted = (signal: AbortSignal): boolean => signal.aborted;

const notReady = ({ startTimeoutMs }: ServiceSpec): string =>
  `it was not ready within ${startTimeoutMs / 1000} s`;

function spawnService({ command, args, env, logPath, channel }: ServiceSpec): ChildProcess {
  const log = openSync(logPath, 'a');
  try {
    // In a process group of its own, so that Ctrl-C reaches only the supervisor, which stops the services in order.
    return spawn(command, args, {
      env,
      detached: true,
      stdio: ['ignore', log, log, ...(channel === 'ipc' ? (['ipc'] as const) : [])],
    });
  } finally {
    closeSync(log);
  }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`it could not be run (${error.message})`));
    child.once('exit', (status, signal) =>
      resolve(signal ? `it was ended by ${signal}` : `it ended with status ${status ?? 'unknown'}`),
    );
  });
}

async function end({ child, ended }: Life, graceMs: number, hurry: AbortSignal): Promise<void> {
  signalChild(child, hurry.aborted ? 'SIGKILL' : 'SIGTERM');
  const over = new AbortController();
  const patience = AbortSignal.any([over.signal, hurry]);
  const impatient = sleep(graceMs, undefined, { signal: patience })
    .catch(() => undefined)
    .then(() => {
      if (!over.signal.aborted) signalChild(child, 'SIGKILL');
    });
  await ended;
  over.abort();
  await impatient;
}

function signalChild(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    signalGroup(child.pid, signal);
  }
}

/** A service that has run at least this long was stable: its death begins a new count. */
const steadyAfterMs = 10_000;

const maxQuickDeaths = 5;
const firstDelayMs = 100;
const maxDelayMs = 5_000;

type RestartDecision =
  { readonly kind: 'restart'; readonly delayMs: number } | { readonly kind: 'give-up' };

/** @param quickDeaths - deaths in a row, this one included, none after a steady life. */
export function afterDeath(quickDeaths: number): RestartDecision {
  if (quickDeaths >= maxQuickDeaths) return { kind: 'give-up' };
  return { kind: 'restart', delayMs: Math.min(firstDelayMs * 4 ** (quickDeaths - 1), maxDelayMs) };
}

const pollMs = 150;

/** Resolves once `check` returns true; rejects if `signal` aborts first. */
export async function untilHealthy(
  check: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  while (!(await check())) await sleep(pollMs, undefined, { signal });
  signal.throwIfAborted();
}

/** Whether a server accepts connections at `host:port`. */
export async function accepts(address: string, timeoutMs = 1_000): Promise<boolean> {
  const { hostname, port } = new URL(`tcp://${address}`);
  const socket = connect({ host: hostname, port: Number(port), timeout: timeoutMs });
  try {
    return await new Promise((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('timeout', () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}

/** The port of a service: set by a variable, or any free one, if possible the last. */
export type PortWish =
  | { readonly kind: 'set'; readonly port: number; readonly variable: string }
  | { readonly kind: 'any'; readonly former?: number | undefined };

const host = '127.0.0.1';

/**
 * Below the ports of outgoing connections on Linux (from 32768), macOS and Windows (from 49152). Such a connection could
 * otherwise take a port between its choice and the start of its service.
 */
const range = { from: 20_000, below: 32_768 } as const;

/**
 * Finds a port for each wish, all different.
 * @throws EmbeddedFailure when a port that was set cannot be had.
 */
export async function choosePorts<K extends string>(
  wishes: Readonly<Record<K, PortWish>>,
): Promise<Readonly<Record<K, number>>> {
  // get-port does not return a port twice within half a minute. Earlier choices are discarded here.
  clearLockedPorts();
  const chosen = new Map<string, number>();
  const entries = Object.entries<PortWish>(wishes);
  // Set ports come first. Otherwise a service that takes any port could get one of them.
  for (const kind of ['set', 'any'] as const) {
    for (const [name, wish] of entries) {
      if (wish.kind === kind) chosen.set(name, await portFor(wish));
    }
  }
  // Every key of `wishes` was visited above.
  return Object.fromEntries(chosen) as Record<K, number>;
}

async function portFor(wish: PortWish): Promise<number> {
  switch (wish.kind) {
    case 'set': {
      const free = await getPort({ host, port: wish.port });
      if (free === wish.port) return free;
      const why =
        wish.port < 1024
          ? 'is taken by another program or reserved for the system'
          : 'is taken by another program';
      throw new EmbeddedFailure(
        `Port ${wish.port}, set by ${wish.variable}, ${why}: set ${wish.variable} to a free port, or unset it to have one chosen.`,
        2,
      );
    }
    case 'any': {
      // From a random port on, since two supervisors that start at the same time would otherwise try the same ports.
      const start = randomInt(range.from, range.below);
      const port = [...portNumbers(start, range.below - 1), ...portNumbers(range.from, start)];
      return getPort({ host, port: wish.former === undefined ? port : [wish.former, ...port] });
    }
  }
}
