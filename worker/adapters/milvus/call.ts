import type { MilvusClient } from '@zilliz/milvus2-sdk-node';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import type { Milvus } from './client.js';

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
