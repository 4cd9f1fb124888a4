import { isRetryable } from '../../domain/failure-type.js';
import type { EmbedderPort } from '../ports/model.js';
import { PortFailure } from '../ports/port-failure.js';

/**
 * Whether this worker can embed with it. Asked where something new is to be embedded, since an endpoint is paid to answer.
 * @throws PortFailure `EmbedderMissing` where it cannot, with the reason in one sentence; an outage of an endpoint is waited for
 */
export async function requireReady(
  { endpoint, ready }: EmbedderPort,
  signal: AbortSignal,
): Promise<void> {
  try {
    await ready?.(signal);
  } catch (error) {
    signal.throwIfAborted();
    const isOutage = error instanceof PortFailure && isRetryable(error.type);
    if (!(error instanceof PortFailure) || (isOutage && endpoint !== null)) throw error;
    throw new PortFailure('EmbedderMissing', error.message, { cause: error });
  }
}
