import { MilvusClient } from '@zilliz/milvus2-sdk-node';

export interface MilvusAddress {
  /** `host:port`, or an https:// address. */
  readonly address: string;
  readonly token?: string | undefined;
}

/** Milvus Lite refuses the pings that the SDK sends over an idle connection, and the refusal ends on the console. */
export const withoutIdlePings = { 'grpc.keepalive_permit_without_calls': 0 };

/** A client that tries once and may be made before Milvus is there: each call connects anew where it has to. */
export function connectMilvus({ address, token }: MilvusAddress): MilvusClient {
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
