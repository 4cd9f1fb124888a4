import { fileURLToPath } from 'node:url';
import { environmentSchema } from '../domain/settings.js';
import type { SupervisorMessage } from '../domain/services.js';
import { supervise } from './embedded/supervisor.js';

// Runs the embedded services as a process of its own, told what to do by signals and by its parent's IPC channel.
// The first argument may name another worker script than turnwise's own.

const stop = new AbortController();
const hurry = new AbortController();
const onSignal = (): void => (stop.signal.aborted ? hurry : stop).abort();

process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
// A parent that was killed cannot say so: its channel closing is the only sign.
process.on('disconnect', () => stop.abort());
// It may have gone before anybody listened.
if (!process.connected) stop.abort();

// Left alone it would end this process and orphan the services.
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
  workerScript:
    process.argv[2] ?? fileURLToPath(new URL('../worker-process/worker.js', import.meta.url)),
  report,
  stop: stop.signal,
  hurry: hurry.signal,
});
if (process.connected) process.disconnect();
