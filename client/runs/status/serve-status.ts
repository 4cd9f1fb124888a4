import { mkdirSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { jsonIn } from '../../../domain/formats/json.js';
import type { Environment } from '../../../domain/settings.js';
import type { ResultFormat } from '../../../domain/option.js';
import type { Line } from '../../services/tell.js';
import type { RunSnapshot } from './run-snapshot.js';
import type { StatusReader } from './status-reader.js';
import { isTrusted, statusRequestSchema, statusSocket } from './status-socket.js';

export interface StatusServer {
  readonly close: () => Promise<void>;
}

/** Makes the output of `status` from a snapshot. */
export type RenderStatus = (
  snapshot: RunSnapshot,
  format: ResultFormat,
  width: number,
) => Promise<readonly Line[]>;

/**
 * Answers `status` of other commands with this TURNWISE_HOME. Where the socket cannot be opened, those commands take
 * their own snapshots.
 * @param temporalAddress - of the server whose workers have the runs
 */
export function serveStatus(
  environment: Environment,
  temporalAddress: string,
  render: RenderStatus,
): StatusServer {
  const home = environment.TURNWISE_HOME;
  const path = statusSocket(home);
  let reader: Promise<StatusReader> | null = null;

  async function answer(socket: Socket): Promise<void> {
    try {
      const { run, as, width } = statusRequestSchema.parse(jsonIn(await requestOf(socket)));
      // Loaded at the first request: the Temporal client takes 0.3 s to load.
      reader ??= import('./status-reader.js').then(
        (module) => new module.StatusReader(environment, () => Promise.resolve(temporalAddress)),
      );
      if (as === 'nothing') (await reader).noteChange(run);
      const lines =
        as === 'nothing'
          ? []
          : await render(await (await reader).snapshot(run), as, width ?? Infinity);
      socket.end(JSON.stringify({ lines }));
    } catch {
      // The other command takes its own snapshot, and reports the error.
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
      await (await reader)?.close();
    },
  };

  function listen(): void {
    try {
      if (dirname(path) !== home) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      if (!isTrusted(path, home)) return;
      // A killed command leaves its socket behind. Only one command at a time keeps the services of a home.
      rmSync(path, { force: true });
      server.listen(path);
    } catch {
      // The folder cannot be written to.
    }
  }
}

/** Everything up to the end of the request; the socket stays open for the reply. */
const requestOf = (socket: Socket): Promise<string> =>
  text(socket.iterator({ destroyOnReturn: false }));
