import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { firstIssue } from '../../domain/formats/json.js';
import { environmentSchema, isS3, setVariables, type Environment } from '../../domain/settings.js';
import { readTurnwiseYaml } from './turnwise-yaml.js';
import { UserError } from '../../domain/user-error.js';
import { namedServer } from '../../temporal/server-settings.js';

/**
 * The settings of this command and of every process it starts. Later wins: defaults, `turnwise.yaml`,
 * `.env`, environment. What the two files say is put into the environment, so that processes started
 * from here see the same.
 */
export function loadEnvironment(folder: string = process.cwd()): Environment {
  // The file of each setting that is not a variable of the environment.
  const placeOf = new Map<string, string>();
  const sources = [
    ['.env', fromDotEnv(resolve(folder, '.env'))],
    ['turnwise.yaml', readTurnwiseYaml(folder).environment],
  ] as const;
  for (const [file, settings] of sources) {
    for (const [name, value] of Object.entries(settings)) {
      if (value === undefined || process.env[name] !== undefined) continue;
      process.env[name] = value;
      placeOf.set(name, resolve(folder, file));
    }
  }
  nameServer();
  const parsed = environmentSchema.safeParse(setVariables(process.env));
  if (!parsed.success) {
    const place = placeOf.get(String(parsed.error.issues[0]?.path[0]));
    throw new UserError(`in ${place ?? 'the environment'}, ${firstIssue(parsed.error)}`);
  }
  const { TURNWISE_HOME: home, TURNWISE_STORAGE: storage } = parsed.data;
  return {
    ...parsed.data,
    TURNWISE_HOME: resolve(folder, home),
    ...(storage !== undefined && {
      TURNWISE_STORAGE: isS3(storage) ? storage : resolve(folder, storage),
    }),
  };
}

/** A Temporal server that stands in a configuration file counts as if its variables were set. */
function nameServer(): void {
  const server = namedServer(process.env);
  if (server === undefined) return;
  process.env['TEMPORAL_ADDRESS'] = server.connection.address;
  process.env['TEMPORAL_NAMESPACE'] = server.namespace;
}

const fromDotEnv = (path: string): Record<string, string | undefined> =>
  existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {};
