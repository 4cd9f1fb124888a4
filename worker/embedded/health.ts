import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 150;

/** Resolves once `check` holds; rejects when `signal` is aborted first. */
export async function untilHealthy(
  check: () => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  while (!(await check())) await sleep(pollMs, undefined, { signal });
  signal.throwIfAborted();
}

/** Does anything accept connections at `host:port`? */
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
