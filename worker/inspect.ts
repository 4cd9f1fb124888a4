import { environmentSchema } from '../domain/settings.js';
import { timeLimit } from './adapters/time-limit.js';
import { inspect } from './embedded/inspection.js';

// Prints all that `turnwise doctor` reports, as a JSON document.

const environment = environmentSchema.parse(process.env);
process.stdout.write(`${JSON.stringify(await inspect(environment, timeLimit(60_000)))}\n`);
