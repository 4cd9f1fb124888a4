import type { MilvusClient } from '@zilliz/milvus2-sdk-node';

export interface MilvusAddress {
  /** `host:port`, or an https:// address. */
  readonly address: string;
  readonly token?: string | undefined;
}

/** Milvus Lite refuses the pings that the SDK sends over an idle connection, and the refusal ends on the console. */
export const withoutIdlePings = { 'grpc.keepalive_permit_without_calls': 0 };

export interface Milvus {
  readonly client: () => Promise<MilvusClient>;
  readonly close: () => Promise<void>;
}

/**
 * A client that tries once and may be asked for before Milvus is there: each call connects anew where it has to. It is
 * made, and its SDK loaded, when it is first asked for: that takes as long as all else that a worker begins with.
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
  // Nobody waits for the first connection; the call that needs it reports its failure.
  client.connectPromise.catch(() => undefined);
  return client;
}
