import { APIConnectionTimeoutError, APIError } from 'openai';
import { connectionFailure, statusFailure, timeOutFailure, type Asked } from './openai-failures.js';

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Milliseconds. */
  readonly timeout: number;
}

/** A reply with a success status. */
export interface EndpointReply {
  readonly body: string;
  readonly headers: Headers;
}

/**
 * Sends one request and reads its body whole. Throws PortFailure for a reply with an error status, a lost
 * connection and a time-out; when `signal` is aborted, what it was aborted with.
 */
export async function callEndpoint(
  asked: Asked,
  signal: AbortSignal,
  send: (options: CallOptions) => Promise<Response>,
): Promise<EndpointReply> {
  // The library listens to its signal for ever: to the caller's own that would be a leak with every call.
  const over = new AbortController();
  const giveUp = (): void => over.abort();
  signal.addEventListener('abort', giveUp);
  try {
    signal.throwIfAborted();
    // The library's timer goes on until there is a response, which `patientFetch` makes of a whole body.
    const response = await send({ signal: over.signal, timeout: asked.timeoutMs });
    return { body: await response.text(), headers: response.headers };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof APIConnectionTimeoutError) throw timeOutFailure(asked);
    if (hasStatus(error)) throw statusFailure(error, asked);
    throw connectionFailure(error, asked);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

const hasStatus = (error: unknown): error is APIError =>
  error instanceof APIError && error.status !== undefined;
