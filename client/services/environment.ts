import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { firstIssue } from '../../domain/formats/json.js';
import { environmentSchema, isS3, setVariables, type Environment } from '../../domain/settings.js';
import { readTurnwiseYaml } from './turnwise-yaml.js';
import { UserError } from '../../domain/user-error.js';
import { namedServer } from '../../temporal/server-settings.js';

/**
 * The settings of this command and of every process it starts. Later wins: defaults, `turnwise.yaml`, `.env`, `variables`.
 * What the two files say is put into `variables`. Those that are no settings are in the result as well, for processes that
 * are started from here (`childEnvironment`).
 */
export function loadEnvironment(
  variables: Record<string, string | undefined> = process.env,
  folder: string = process.cwd(),
): Environment {
  // The file of each setting that is not a variable of the environment.
  const placeOf = new Map<string, string>();
  const sources = [
    ['.env', fromDotEnv(resolve(folder, '.env'))],
    ['turnwise.yaml', readTurnwiseYaml(folder).environment],
  ] as const;
  for (const [file, settings] of sources) {
    for (const [name, value] of Object.entries(settings)) {
      if (value === undefined || variables[name] !== undefined) continue;
      variables[name] = value;
      placeOf.set(name, resolve(folder, file));
    }
  }
  nameServer(variables);
  const set = setVariables(variables);
  const parsed = environmentSchema.safeParse(set);
  if (!parsed.success) {
    const place = placeOf.get(String(parsed.error.issues[0]?.path[0]));
    throw new UserError(`in ${place ?? 'the environment'}, ${firstIssue(parsed.error)}`);
  }
  const { TURNWISE_HOME: home, TURNWISE_STORAGE: storage } = parsed.data;
  return {
    ...set,
    ...parsed.data,
    TURNWISE_HOME: resolve(folder, home),
    ...(storage !== undefined && {
      TURNWISE_STORAGE: isS3(storage) ? storage : resolve(folder, storage),
    }),
  };
}

/** A Temporal server that stands in a configuration file counts as if its variables were set. */
function nameServer(variables: Record<string, string | undefined>): void {
  const server = namedServer(variables);
  if (server === undefined) return;
  variables['TEMPORAL_ADDRESS'] = server.connection.address;
  variables['TEMPORAL_NAMESPACE'] = server.namespace;
}

const fromDotEnv = (path: string): Record<string, string | undefined> =>
  existsSync(path) ? parseEnv(readFileSync(path, 'utf8')) : {};
