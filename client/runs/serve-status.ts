import { mkdirSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { jsonIn } from '../../domain/formats/json.js';
import type { Environment } from '../../domain/settings.js';
import type { StatusTeller } from './status-teller.js';
import { isTrusted, statusRequestSchema, statusSocket, type StatusReply } from './status-socket.js';

/**
 * Tells other commands of this TURNWISE_HOME how its runs stand, until it is closed. Where it cannot listen, they look for
 * themselves.
 * @param temporalAddress - of the server whose workers have the runs
 */
export function serveStatus(
  environment: Environment,
  temporalAddress: string,
): { readonly close: () => Promise<void> } {
  const home = environment.TURNWISE_HOME;
  const path = statusSocket(home);
  let teller: Promise<StatusTeller> | null = null;

  async function answer(socket: Socket): Promise<void> {
    try {
      const request = statusRequestSchema.parse(jsonIn(await requestOf(socket)));
      // Its client of Temporal takes long to load, and is not needed where nobody asks.
      teller ??= import('./status-teller.js').then(
        (module) => new module.StatusTeller(environment, temporalAddress),
      );
      const reply: StatusReply = { text: await (await teller).tell(request) };
      socket.end(JSON.stringify(reply));
    } catch {
      // Whoever asked looks for itself, and is told what is wrong.
      socket.destroy();
    }
  }

  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined).unref();
    void answer(socket);
  });
  server.on('error', () => undefined).unref();
  listen();
  return {
    close: async () => {
      server.close();
      await (await teller)?.close();
    },
  };

  function listen(): void {
    try {
      if (dirname(path) !== home) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      if (!isTrusted(path, home)) return;
      // One whose command was killed; there is no other command that keeps services of this home.
      rmSync(path, { force: true });
      server.listen(path);
    } catch {
      // The folder cannot be written to.
    }
  }
}

/** All that came: the reply is still to be written. */
const requestOf = (socket: Socket): Promise<string> =>
  text(socket.iterator({ destroyOnReturn: false }));
