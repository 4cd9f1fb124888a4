import { fetchEngines } from './embedded/engines.js';

// Installs Temporal and Milvus Lite for the embedded services. Used by the set-up.

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

process.exitCode = await fetchEngines({
  onStep: (text) => process.stdout.write(`${text}\n`),
  signal: stop.signal,
});
