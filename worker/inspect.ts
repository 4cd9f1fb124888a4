import { environmentSchema } from '../domain/settings.js';
import { homeAt } from './embedded/home.js';
import { supervisionOf } from './embedded/inspection.js';

// Prints one JSON document: with `services`, who serves TURNWISE_HOME; without, everything `turnwise doctor` asks for.

const environment = environmentSchema.parse(process.env);

async function inspection(): Promise<unknown> {
  if (process.argv[2] === 'services') return supervisionOf(homeAt(environment.TURNWISE_HOME));
  // Loaded only when asked for: the clients of Temporal and Milvus cost half a second.
  const { inspect } = await import('./embedded/inspection.js');
  return inspect(environment, AbortSignal.timeout(60_000));
}

process.stdout.write(`${JSON.stringify(await inspection())}\n`);
