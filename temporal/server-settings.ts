import {
  loadClientConfigProfile,
  toClientOptions,
  type ClientConnectConfig,
} from '@temporalio/envconfig';
import { UserError } from '../domain/user-error.js';

/** A Temporal server: where it is, and how it is spoken to. */
export interface ServerSettings {
  readonly namespace: string;
  readonly connection: ClientConnectConfig['connectionOptions'] & { readonly address: string };
}

type Variables = Readonly<Record<string, string | undefined>>;

/** A server that turnwise has started. It needs no TLS and no key, whatever is set for others. */
export const embeddedServer = (address: string, namespace: string): ServerSettings => ({
  namespace,
  connection: { address },
});

/**
 * The server that the environment names, with TLS, key and namespace as Temporal's own tools read them: variables, and the
 * configuration file where those say nothing. Undefined where no server is named: a file alone counts only if TEMPORAL_PROFILE
 * or TEMPORAL_CONFIG_FILE names it (docs/explanation/decisions/0022).
 * @throws UserError where they cannot be used
 */
export function namedServer(variables: Variables): ServerSettings | undefined {
  const set = Object.fromEntries(
    Object.entries(variables).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
    ),
  );
  const { TEMPORAL_ADDRESS, TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE: file } = set;
  if ((TEMPORAL_ADDRESS ?? TEMPORAL_PROFILE ?? file) === undefined) return undefined;
  const { namespace, connectionOptions } = read(set);
  const { address } = connectionOptions;
  if (address === undefined) return undefined;
  return { namespace: namespace ?? 'default', connection: { ...connectionOptions, address } };
}

function read(variables: Record<string, string>): ClientConnectConfig {
  try {
    return toClientOptions(loadClientConfigProfile({ overrideEnvVars: variables }));
  } catch (error) {
    throw new UserError(
      `the settings of the Temporal server cannot be used (${reasonOf(error)}): check ${namesOf(variables)}`,
    );
  }
}

const reasonOf = (error: unknown): string =>
  // The first line: a flaw of a file is shown with the lines around it, which may hold a key.
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';

/** The variables that may be at fault. */
function namesOf(variables: Variables): string {
  const names = Object.keys(variables).filter((name) =>
    /^TEMPORAL_(PROFILE|CONFIG_FILE|TLS_\w+_PATH)$/.test(name),
  );
  return names.length > 0 ? names.join(', ') : 'the configuration file of the Temporal tools';
}
