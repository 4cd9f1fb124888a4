import { PortFailure } from '../../../activities/ports/port-failure.js';
import { keyHeaders, urlUnder } from '../../../domain/model-api.js';
import { jsonIn } from '../../../domain/formats/json.js';
import { exchange, ReplyTooLong } from '../http/exchange.js';
import {
  connectionFailure,
  statusFailure,
  timeOutFailure,
  tooLongFailure,
  type Asked,
} from './failures.js';

/** A reply with a success status. */
export interface EndpointReply {
  readonly body: string;
  readonly headers: Headers;
}

/** Of one reply. Far above what any model sends: a batch of embeddings has some 30 MiB. */
const largestReplyBytes = 128 * 2 ** 20;

/** Why a call ends that takes too long. */
const late = new Error('The time is over.');

/**
 * Sends one request, once, and reads the whole body of its reply. Throws PortFailure for an error status, a lost connection
 * or a time-out, and the signal's reason if that aborts.
 * @param key - undefined if there is none for the address
 */
export async function callEndpoint(
  asked: Asked,
  {
    path,
    body,
    key,
  }: { readonly path: string; readonly body: object; readonly key: string | undefined },
  signal: AbortSignal,
): Promise<EndpointReply> {
  const over = new AbortController();
  const giveUp = (): void => over.abort();
  signal.throwIfAborted();
  signal.addEventListener('abort', giveUp);
  // Includes the body, which `exchange` reads before it resolves.
  const timer = setTimeout(() => over.abort(late), asked.timeoutMs);
  try {
    const response = await exchange(urlUnder(asked.baseUrl, path), {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...keyHeaders(asked.api, key),
      },
      body: JSON.stringify(body),
      signal: over.signal,
      mostBytes: largestReplyBytes,
    });
    const text = await response.text();
    const { status, headers } = response;
    if (!response.ok) throw statusFailure({ status, body: jsonIn(text), headers }, asked);
    return { body: text, headers };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PortFailure) throw error;
    if (over.signal.reason === late) throw timeOutFailure(asked);
    if (error instanceof ReplyTooLong) throw tooLongFailure(asked, largestReplyBytes);
    throw connectionFailure(error, asked);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}
