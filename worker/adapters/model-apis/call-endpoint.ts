import { PortFailure } from '../../../activities/ports/port-failure.js';
import { keyHeaders, urlUnder } from '../../../domain/model-api.js';
import { assembleStream } from '../../../domain/models/apis/assemble-stream.js';
import type { FailedExchange } from '../../../domain/models/call-attempts.js';
import { lateStatus } from '../../../domain/models/provider-errors.js';
import { jsonIn } from '../../../domain/formats/json.js';
import { sha256Of } from '../../../storage/sha256.js';
import { exchange, ReplyTooLong } from '../http/exchange.js';
import {
  brokenOffFailure,
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

/** What is sent, and where. */
interface Outgoing {
  readonly path: string;
  readonly body: object;
  /** Undefined if there is none for the address. */
  readonly key: string | undefined;
}

/** Of one reply. Far above what any model sends: a batch of embeddings has some 30 MiB. */
const largestReplyBytes = 128 * 2 ** 20;

/** Why a call ends that takes too long. */
const late = new Error('The time is over.');

/**
 * Sends one request, once, and reads the whole body of its reply; a stream is put together to what the API sends otherwise.
 * Throws PortFailure for an error under whatever status, a lost connection or a time-out, and the signal's reason if that
 * aborts. An aborted call closes its connection, which ends the generation.
 * @param onReply - told of a whole reply, whatever its status
 */
export async function callEndpoint(
  asked: Asked,
  outgoing: Outgoing,
  signal: AbortSignal,
  onReply?: (reply: Pick<FailedExchange, 'status' | 'reply'>) => void,
): Promise<EndpointReply> {
  const send = asked.api === 'chat' || asked.api === 'responses' ? sendAsOpenAi : sendPlainly;
  const { body, headers } = await answered(
    asked,
    signal,
    (over) => send(asked, outgoing, over),
    onReply,
  );
  return readBody(body, headers, asked);
}

/** The answer to a request of any kind, with a success status. Throws as `callEndpoint` does. */
export async function answered(
  asked: Asked,
  signal: AbortSignal,
  send: (signal: AbortSignal) => Promise<Response>,
  onReply?: (reply: Pick<FailedExchange, 'status' | 'reply'>) => void,
): Promise<EndpointReply> {
  const over = new AbortController();
  const giveUp = (): void => over.abort();
  signal.throwIfAborted();
  signal.addEventListener('abort', giveUp);
  // Includes the body, which `exchange` reads before it resolves.
  const timer = setTimeout(() => over.abort(late), asked.timeoutMs);
  try {
    const response = await send(over.signal);
    const { status, headers } = response;
    const text = await response.text();
    onReply?.({ status, reply: sha256Of(text) });
    if (!response.ok) throw statusFailure({ status, body: jsonIn(text) ?? text, headers }, asked);
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

function readBody(text: string, headers: Headers, asked: Asked): EndpointReply {
  const streamed = assembleStream(asked.api, text);
  if (streamed?.kind === 'cut') throw brokenOffFailure(' in the middle of a stream', asked);
  const body = streamed === undefined ? jsonIn(text) : streamed.json;
  const status = lateStatus(body);
  if (status !== undefined) {
    const mayBePaid = streamed?.kind === 'failed' && streamed.hasText;
    throw statusFailure({ status, body, headers, mayBePaid }, asked);
  }
  return { body: streamed === undefined ? text : JSON.stringify(body), headers };
}

const sendPlainly = (
  { api, baseUrl }: Asked,
  { path, body, key }: Outgoing,
  signal: AbortSignal,
): Promise<Response> =>
  exchange(urlUnder(baseUrl, path), {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      ...keyHeaders(api, key),
    },
    body: JSON.stringify(body),
    signal,
    mostBytes: largestReplyBytes,
  });

/** All that is sent beside the body. The package would add what the environment has for it, and facts of this machine. */
const sentHeaders = ['accept', 'content-type', 'authorization', 'api-key', 'user-agent'];
/** Longer than any call: time is limited by the signal. */
const noTimeoutMs = 2 ** 31 - 1;

/**
 * Sends through the `openai` package, over our connections: it makes the address, the headers and Azure's form of both. An
 * address with an `api-version` is Azure's.
 */
async function sendAsOpenAi(
  { baseUrl }: Asked,
  { path, body, key = 'none' }: Outgoing,
  signal: AbortSignal,
): Promise<Response> {
  const { AzureOpenAI, OpenAI } = await import('openai');
  const base = new URL(baseUrl);
  const defaultQuery = Object.fromEntries(base.searchParams);
  // Azure's newer addresses end in /v1, and are as OpenAI's.
  const apiVersion = /\/v1\/*$/.test(base.pathname) ? undefined : defaultQuery['api-version'];
  base.search = '';
  let refused: Response | undefined;
  let failed: unknown;
  const options = {
    apiKey: key,
    adminAPIKey: null,
    organization: null,
    project: null,
    baseURL: base.href.replace(/\/+$/, ''),
    defaultQuery,
    maxRetries: 0,
    timeout: noTimeoutMs,
    logLevel: 'off' as const,
    fetch: async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
      const headers = [...new Headers(init.headers)].filter(([name]) => sentHeaders.includes(name));
      const reply = await exchange(new URL(url instanceof Request ? url.url : url), {
        method: 'POST',
        headers: Object.fromEntries(headers),
        body: init.body as string, // The package makes a text of JSON.
        signal,
        mostBytes: largestReplyBytes,
      }).catch((error: unknown) => {
        failed = error;
        throw error;
      });
      // The package keeps only a part of what an error says.
      refused = reply.ok ? undefined : reply.clone();
      return reply;
    },
  };
  const client =
    apiVersion === undefined ? new OpenAI(options) : new AzureOpenAI({ ...options, apiVersion });
  try {
    return await client.post(path, { body, signal }).asResponse();
  } catch (error) {
    if (refused) return refused;
    throw failed ?? error;
  }
}
