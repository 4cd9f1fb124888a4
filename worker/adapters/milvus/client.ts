import type { MilvusClient } from '@zilliz/milvus2-sdk-node';
import { z } from 'zod';
import { setTimeout as sleep } from 'node:timers/promises';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { createGuard, type Guard } from '../guard.js';

interface MilvusAddress {
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

/** An error that Milvus has replied. */
export class MilvusRefusal extends Error {
  override readonly name = 'MilvusRefusal';

  constructor(
    /** Milvus's error code, e.g. 101 for a collection that is not loaded; 0 if there is none. */
    readonly code: number,
    readonly reason: string,
  ) {
    super(`Milvus refused: ${reason} (code ${code})`);
  }
}

const statusSchema = z.object({
  error_code: z.union([z.string(), z.number()]),
  code: z.number().optional().catch(undefined),
  reason: z.string().catch(''),
  retriable: z.boolean().catch(false),
});
type Status = z.infer<typeof statusSchema>;
const answerSchema = z.union([z.object({ status: statusSchema }), statusSchema]);
const successes: readonly (string | number)[] = ['Success', 0];

/** gRPC statuses after which the same call may succeed: cancelled, deadline exceeded, resource exhausted, aborted, unavailable. */
const retryable: readonly unknown[] = [1, 4, 8, 10, 14];

/**
 * Makes one call of the SDK and converts its failures, which may be a status beside an empty result, an exception or a
 * thrown plain object. Throws MilvusRefusal, or PortFailure('StoreUnavailable') if Milvus cannot be reached or does not
 * answer; the next call then connects anew. While Milvus is known to fail, nothing is called (`ModelDeferred`).
 */
export const callMilvus = <T>(
  milvus: Milvus,
  call: (client: MilvusClient) => Promise<T>,
): Promise<T> =>
  milvus.guard.through(
    () => callOnce(milvus, call),
    () => Promise.race([callOnce(milvus, (client) => client.getVersion()), silence()]),
  );

/** Milvus tells its version at once, or it hangs. */
const probeMs = 10_000;

async function silence(): Promise<never> {
  await sleep(probeMs, undefined, { ref: false });
  throw asFailure(undefined, true);
}

async function callOnce<T>(milvus: Milvus, call: (client: MilvusClient) => Promise<T>): Promise<T> {
  const client = await milvus.client();
  const answer = await call(client).catch((error: unknown) => {
    const isOutage = isRetryable(error);
    if (isOutage) milvus.renew(client);
    throw asFailure(error, isOutage || milvus.isClosed(client));
  });
  const status = statusOf(answer);
  if (status !== undefined && !successes.includes(status.error_code)) throw refusal(status);
  return answer;
}

function asFailure(error: unknown, isOutage: boolean): unknown {
  const status = statusOf(error);
  if (status !== undefined) return refusal(status);
  if (isOutage) {
    return new PortFailure(
      'StoreUnavailable',
      'Milvus cannot be reached: check that it runs and that MILVUS_ADDRESS is right.',
      { cause: error },
    );
  }
  return error;
}

function statusOf(answer: unknown): Status | undefined {
  const { data } = answerSchema.safeParse(answer);
  return data === undefined || 'error_code' in data ? data : data.status;
}

function refusal({ code, error_code, reason, retriable }: Status): MilvusRefusal | PortFailure {
  const number = code ?? (typeof error_code === 'number' ? error_code : 0);
  const refused = new MilvusRefusal(number, reason);
  return retriable ? new PortFailure('StoreUnavailable', refused.message) : refused;
}

const isRetryable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && retryable.includes(error.code);
