import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { EmbeddedFailure } from './embedded-failure.js';

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
  // All stay open until every port is known, or one could be given out twice; those set come first.
  const open: Server[] = [];
  const chosen = new Map<string, number>();
  const order = Object.entries<PortWish>(wishes).sort(
    ([, a], [, b]) => Number(b.kind === 'set') - Number(a.kind === 'set'),
  );
  try {
    for (const [name, wish] of order) {
      const server = await openFor(wish);
      open.push(server);
      chosen.set(name, portOf(server));
    }
  } finally {
    await Promise.all(open.map((server) => new Promise((resolve) => server.close(resolve))));
  }
  // Every key of `wishes` was visited above.
  return Object.fromEntries(chosen) as Record<K, number>;
}

async function openFor(wish: PortWish): Promise<Server> {
  switch (wish.kind) {
    case 'set':
      return listen(wish.port).catch((error: unknown) => {
        throw new EmbeddedFailure(refusal(wish.port, wish.variable, error), 2, { cause: error });
      });
    case 'any':
      return wish.former === undefined
        ? listenAnywhere()
        : listen(wish.former).catch(listenAnywhere);
  }
}

async function listenAnywhere(): Promise<Server> {
  for (;;) {
    try {
      return await listen(randomInt(range.from, range.below));
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
}

function refusal(port: number, variable: string, error: unknown): string {
  const why = isTaken(error)
    ? 'is taken by another program'
    : `cannot be opened (${String(error)})`;
  return `Port ${port}, set by ${variable}, ${why}: set ${variable} to a free port, or unset it to have one chosen.`;
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

async function listen(port: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ port, host, exclusive: true }, resolve);
  });
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not a TCP server');
  return address.port;
}
