import { environmentSchema } from '../domain/settings.js';
import { EmbeddedFailure } from './embedded/setup-context.js';
import { obtainEngines } from './embedded/engines.js';

// Installs Temporal and Milvus Lite for the embedded services. Used by the set-up and by CI.

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

try {
  const { temporal, milvus } = await obtainEngines(environmentSchema.parse(process.env), {
    onStep: (text) => process.stdout.write(`${text}\n`),
    signal: stop.signal,
  });
  if (temporal) process.stdout.write(`Temporal: ${temporal.version}, ${temporal.path}\n`);
  if (milvus) process.stdout.write(`Milvus: ${milvus.version}, ${milvus.python}\n`);
} catch (error) {
  if (stop.signal.aborted) process.exitCode = 130;
  else if (error instanceof EmbeddedFailure) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exitStatus;
  } else throw error;
}
