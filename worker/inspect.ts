import { environmentSchema } from '../domain/settings.js';
import { timeLimit } from './adapters/time-limit.js';
import { homeAt } from './embedded/home.js';
import { supervisionOf } from './embedded/inspection.js';

// Prints a JSON document: with the argument `services` which supervisor runs the services of TURNWISE_HOME, without it all
// that `turnwise doctor` reports.

const environment = environmentSchema.parse(process.env);

async function inspection(): Promise<unknown> {
  if (process.argv[2] === 'services') return supervisionOf(homeAt(environment.TURNWISE_HOME));
  // Loaded only here: the clients of Temporal and Milvus take half a second to load.
  const { inspect } = await import('./embedded/inspection.js');
  return inspect(environment, timeLimit(60_000));
}

process.stdout.write(`${JSON.stringify(await inspection())}\n`);
