import { randomInt } from 'node:crypto';
import getPort, { clearLockedPorts, portNumbers } from 'get-port';
import { EmbeddedFailure } from './setup-context.js';

/** A port a service is to listen on: named by a variable, or any, best the one it had before a crash. */
export type PortWish =
  | { readonly kind: 'set'; readonly port: number; readonly variable: string }
  | { readonly kind: 'any'; readonly former?: number | undefined };

const host = '127.0.0.1';

/**
 * Where ports are looked for: below those that Linux (from 32768), macOS and Windows (from 49152) give to outgoing
 * connections, or one of these could take a port between its choice and its service's start.
 */
const range = { from: 20_000, below: 32_768 } as const;

/**
 * Finds a port for each wish, all different.
 * @throws EmbeddedFailure when a port that was set cannot be had.
 */
export async function choosePorts<K extends string>(
  wishes: Readonly<Record<K, PortWish>>,
): Promise<Readonly<Record<K, number>>> {
  // get-port gives no port out twice within half a minute; an earlier choice must not count.
  clearLockedPorts();
  const chosen = new Map<string, number>();
  const entries = Object.entries<PortWish>(wishes);
  // Those that were set come first, or one of them could be given to a service that takes any.
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
      // From a random port on: two supervisors that start at once would otherwise try the same ones.
      const start = randomInt(range.from, range.below);
      const port = [...portNumbers(start, range.below - 1), ...portNumbers(range.from, start)];
      return getPort({ host, port: wish.former === undefined ? port : [wish.former, ...port] });
    }
  }
}
