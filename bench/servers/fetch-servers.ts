import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fetchEngines } from '../../worker/embedded/engines.js';
import { cacheFolder } from '../../worker/embedded/setup-context.js';
import { obtainPrograms, prometheusSource } from './built-programs.js';
import { objectServerSource } from './local-server.js';
import { temporalServerSource } from './own-server.js';

// Fetches the engines, then the servers that only tests start. Go compiles once what Temporal's command line and server have in
// common, which is nearly all of both. Without Go, the tests of a server say that it is missing.

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());

const cache = cacheFolder(process.env['TURNWISE_CACHE']);
await mkdir(cache, { recursive: true });
const goFolder = await mkdtemp(join(cache, 'go-draft-'));
const how = {
  onStep: (text: string): void => void process.stdout.write(`${text}\n`),
  signal: stop.signal,
  goFolder,
};
try {
  process.exitCode = await fetchEngines(how);
  const servers = process.argv.includes('--without-postgres')
    ? [objectServerSource, prometheusSource]
    : [temporalServerSource, objectServerSource, prometheusSource];
  for (const server of servers) {
    if (stop.signal.aborted) break;
    await obtainPrograms(server, how).catch((error: unknown) =>
      how.onStep(error instanceof Error ? error.message : String(error)),
    );
  }
  if (stop.signal.aborted) process.exitCode = 130;
} finally {
  await rm(goFolder, { recursive: true, force: true });
}
