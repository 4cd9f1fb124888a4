import { Client, Connection } from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { exitStatus, UserError } from './user-error.js';

/** A client of the server at `address`; TLS, keys and namespace as Temporal's own tools read them. */
export async function connectTemporal(address: string): Promise<Client> {
  const { connectionOptions, namespace } = loadClientConnectConfig({
    overrideEnvVars: { ...definedEnvironment(), TEMPORAL_ADDRESS: address },
  });
  try {
    const connection = await Connection.connect({
      ...connectionOptions,
      connectTimeout: '10 seconds',
      // The server refuses more than one ping in about ten seconds, and says so on the console.
      channelArgs: { 'grpc.keepalive_time_ms': 60_000 },
    });
    return new Client({ connection, ...(namespace && { namespace }) });
  } catch (error) {
    throw new UserError(
      `Temporal does not answer at ${address} (${error instanceof Error ? error.message : String(error)}); \`turnwise doctor\` says more`,
      exitStatus.serviceUnreachable,
    );
  }
}

const definedEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])),
  );
