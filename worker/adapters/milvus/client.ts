import type { MilvusClient } from '@zilliz/milvus2-sdk-node';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { createGuard, type Guard } from '../guard.js';

export interface MilvusAddress {
  /** `host:port`, or an https:// address. Undefined for a worker of databases, which needs none. */
  readonly address: string | undefined;
  readonly token?: string | undefined;
  /** How long one request may stay without a reply. @defaultValue one minute */
  readonly timeoutMs?: number;
}

/** Milvus Lite refuses the SDK's pings over an idle connection, and the SDK prints the refusal to the console. */
export const withoutIdlePings = { 'grpc.keepalive_permit_without_calls': 0 };

export interface Milvus {
  readonly client: () => Promise<MilvusClient>;
  /** Makes the next call connect anew, unless that has happened since `client` was got. */
  readonly renew: (client: MilvusClient) => void;
  /** Whether a call has renewed it: it is closed, also to calls that take several requests and are not done. */
  readonly isClosed: (client: MilvusClient) => boolean;
  /** Owns the outages of this Milvus. */
  readonly guard: Guard;
  readonly close: () => Promise<void>;
}

/**
 * Connects at the first call, which may come before Milvus runs. The client makes no retries of its own. The SDK is loaded at
 * the first use, because loading it takes as long as the rest of a worker's start.
 */
export function connectMilvus(at: MilvusAddress): Milvus {
  let made: Promise<MilvusClient> | null = null;
  let current: MilvusClient | null = null;
  return {
    guard: createGuard('Milvus'),
    client: () => (made ??= makeClient(at).then((client) => (current = client))),
    // The SDK keeps the failure of its first connection for ever.
    renew: (client) => {
      if (client !== current) return;
      made = null;
      current = null;
      // It waits for the calls in flight, each of which has its time limit.
      client.closeConnection().catch(() => undefined);
    },
    isClosed: (client) => client !== current,
    close: async () => {
      await (await made)?.closeConnection();
    },
  };
}

async function makeClient({
  address,
  token,
  timeoutMs = 60_000,
}: MilvusAddress): Promise<MilvusClient> {
  if (address === undefined) {
    const message = 'MILVUS_ADDRESS is not set where the worker runs, and a store needs a Milvus.';
    throw new PortFailure('StoreUnavailable', message);
  }
  const { MilvusClient } = await import('@zilliz/milvus2-sdk-node');
  const client = new MilvusClient({
    address,
    ...(token !== undefined && { token }),
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: 'error',
    telemetry: { enabled: false },
    // A connection of its own: gRPC would give a new client that of a former one, whatever is wrong with that.
    channelOptions: { ...withoutIdlePings, 'grpc.use_local_subchannel_pool': 1 },
  });
  // The first call reports a failure to connect.
  client.connectPromise.catch(() => undefined);
  return client;
}
