import type { MilvusClient } from '@zilliz/milvus2-sdk-node';

export interface MilvusAddress {
  /** `host:port`, or an https:// address. */
  readonly address: string;
  readonly token?: string | undefined;
}

/** Milvus Lite refuses the SDK's pings over an idle connection, and the SDK prints the refusal to the console. */
export const withoutIdlePings = { 'grpc.keepalive_permit_without_calls': 0 };

export interface Milvus {
  readonly client: () => Promise<MilvusClient>;
  readonly close: () => Promise<void>;
}

/**
 * A client without retries that also works before Milvus runs, since each call connects if necessary. The SDK is loaded at
 * the first use, because loading it takes as long as the rest of a worker's start.
 */
export function connectMilvus(at: MilvusAddress): Milvus {
  let made: Promise<MilvusClient> | null = null;
  return {
    client: () => (made ??= makeClient(at)),
    close: async () => {
      await (await made)?.closeConnection();
    },
  };
}

async function makeClient({ address, token }: MilvusAddress): Promise<MilvusClient> {
  const { MilvusClient } = await import('@zilliz/milvus2-sdk-node');
  const client = new MilvusClient({
    address,
    ...(token !== undefined && { token }),
    maxRetries: 0,
    timeout: 60_000,
    logLevel: 'error',
    telemetry: { enabled: false },
    channelOptions: withoutIdlePings,
  });
  // The first call reports a failure to connect.
  client.connectPromise.catch(() => undefined);
  return client;
}
