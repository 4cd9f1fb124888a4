import type { Postgres } from './postgres.js';

/** Who may speak to the server, and how. Without it anybody may, without TLS. */
export interface Access {
  /** Certificate and key of the server, and of those who may certify clients, as PEM. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly clientCa?: string };
  /** Where the keys are that sign API keys (RFC 7517). */
  readonly jwksUrl?: string;
}

export const serverPorts = [
  ...['frontend', 'frontendMembership', 'frontendHttp'],
  ...['internal', 'internalMembership', 'internalHttp'],
  ...['matching', 'matchingMembership'],
  ...['history', 'historyMembership'],
  ...['worker', 'workerMembership'],
] as const;
export type ServerPorts = Readonly<Record<string, number>>;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The configuration of a Temporal server over `postgres`. JSON is YAML too. */
export function serverConfig(
  { port, user }: Postgres,
  ports: ServerPorts,
  { tls, jwksUrl }: Access,
  dynamicConfig: string,
): string {
  const store = (databaseName: string, maxConns: number) => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr: `127.0.0.1:${port}`,
      connectProtocol: 'tcp',
      user,
      password: '',
      maxConns,
      maxIdleConns: maxConns,
    },
  });
  const rpc = (service: string, httpPort?: number) => ({
    rpc: {
      grpcPort: ports[service],
      membershipPort: ports[`${service}Membership`],
      bindOnLocalHost: true,
      ...(httpPort !== undefined && { httpPort }),
    },
  });
  return JSON.stringify({
    log: { stdout: true, level: 'info' },
    persistence: {
      defaultStore: 'main',
      visibilityStore: 'visibility',
      numHistoryShards: 4,
      datastores: { main: store('temporal', 20), visibility: store('temporal_visibility', 10) },
    },
    global: {
      membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' },
      ...(tls && {
        tls: {
          frontend: {
            server: {
              certData: base64(tls.cert),
              keyData: base64(tls.key),
              ...(tls.clientCa !== undefined && {
                requireClientAuth: true,
                clientCaData: [base64(tls.clientCa)],
              }),
            },
          },
        },
      }),
      ...(jwksUrl !== undefined && {
        authorization: {
          jwtKeyProvider: { keySourceURIs: [jwksUrl], refreshInterval: '1m' },
          permissionsClaimName: 'permissions',
          authorizer: 'default',
          claimMapper: 'default',
        },
      }),
    },
    services: {
      frontend: rpc('frontend', ports['frontendHttp']),
      // The server's own workers need neither TLS nor keys here.
      'internal-frontend': rpc('internal', ports['internalHttp']),
      matching: rpc('matching'),
      history: rpc('history'),
      worker: rpc('worker'),
    },
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: {
          enabled: true,
          initialFailoverVersion: 1,
          rpcName: 'frontend',
          rpcAddress: `127.0.0.1:${ports['frontend']}`,
        },
      },
    },
    dynamicConfigClient: { filepath: dynamicConfig, pollInterval: '60s' },
  });
}

/** As docker-compose.yml has it. */
export const dynamicSettings = JSON.stringify({
  'system.enableActivityEagerExecution': [{ value: true }],
});
