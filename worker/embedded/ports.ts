import { randomInt } from 'node:crypto';
import getPort, { clearLockedPorts, portNumbers } from 'get-port';
import { EmbeddedFailure } from './setup-context.js';

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
