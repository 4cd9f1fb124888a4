import { fileURLToPath } from 'node:url';
import { environmentSchema } from '../domain/settings.js';
import type { SupervisorMessage } from '../domain/services.js';
import { supervise } from './embedded/supervisor.js';

// The process that runs the embedded services. Signals and the closing of the parent's IPC channel stop it. Its optional
// argument is the path of a worker script.

const stop = new AbortController();
const hurry = new AbortController();
const onSignal = (): void => (stop.signal.aborted ? hurry : stop).abort();

process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
// The channel also closes when the parent is killed.
process.on('disconnect', () => stop.abort());
// The parent may be gone already.
if (!process.connected) stop.abort();

// An uncaught exception would otherwise end this process without stopping the services.
process.on('uncaughtException', (error) => {
  const message = `The supervisor failed: ${error.stack ?? error.message}`;
  report({ kind: 'failed', message, exitStatus: 1 });
  stop.abort();
});

function report(message: SupervisorMessage): void {
  if (process.connected) process.send?.(message);
}

process.exitCode = await supervise({
  environment: environmentSchema.parse(process.env),
  workerScript: process.argv[2] ?? fileURLToPath(new URL('../programs/worker.js', import.meta.url)),
  report,
  stop: stop.signal,
  hurry: hurry.signal,
});
if (process.connected) process.disconnect();
