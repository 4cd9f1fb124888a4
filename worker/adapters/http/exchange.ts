import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { WebhookPort } from '../../../activities/ports/webhook.js';

const plain = new HttpAgent({ keepAlive: true });
const secure = new HttpsAgent({ keepAlive: true });
const bodyless = new Set([204, 205, 304]);

/** The body of a reply is longer than its reader takes. */
export class ReplyTooLong extends Error {
  override readonly name = 'ReplyTooLong';
}

/** The connection broke after the whole request was sent, before the whole reply came. Its `cause` says how. */
export class BrokenOff extends Error {
  override readonly name = 'BrokenOff';
  readonly code: string | undefined;

  constructor(cause: NodeJS.ErrnoException) {
    super('the connection broke after the request was sent', { cause });
    this.code = cause.code;
  }
}

/** A server that has closed an idle connection says so within a round trip of the request that meets it. */
const staleWithinMs = 1000;

interface Sent {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal | null | undefined;
  /** Of the reply. Throws ReplyTooLong beyond. @defaultValue unlimited */
  readonly mostBytes?: number;
}

/**
 * One HTTP request of a slow server. Node's `fetch` fails after five minutes without headers, which only a second copy of its
 * HTTP client could change. This one follows no redirects, reads no compressed replies, and resolves when the whole body
 * has arrived. Throws BrokenOff where the server may have worked on the request. A request that met a connection which the
 * server had closed while it was idle is sent again, once, on a new one: nobody has read it.
 */
export const exchange = (url: URL, sent: Sent): Promise<Response> => attempt(url, sent, true);

function attempt(url: URL, sent: Sent, mayReuse: boolean): Promise<Response> {
  const { method, headers = {}, body, signal, mostBytes = Infinity } = sent;
  const [send, agent] =
    url.protocol === 'https:' ? [httpsRequest, secure] : ([httpRequest, plain] as const);
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let isConnected = false;
    let isWritten = false;
    let isAnswered = false;
    const call = send(url, {
      method,
      headers: {
        ...headers,
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
      agent: mayReuse && agent,
      ...(signal && { signal }),
    });
    const broken = (error: NodeJS.ErrnoException): void => {
      const isOurs = signal?.aborted === true || error instanceof ReplyTooLong;
      reject(isConnected && isWritten && !isOurs ? new BrokenOff(error) : error);
    };
    const brokenBeforeReply = (error: NodeJS.ErrnoException): void => {
      const isStale =
        mayReuse &&
        call.reusedSocket &&
        !isAnswered &&
        (error.code === 'ECONNRESET' || error.code === 'EPIPE') &&
        signal?.aborted !== true &&
        performance.now() - startedAt < staleWithinMs;
      if (isStale) resolve(attempt(url, sent, false));
      else broken(error);
    };
    call.once('socket', (socket) => {
      isConnected = call.reusedSocket;
      if (isConnected) return;
      socket.once(agent === secure ? 'secureConnect' : 'connect', () => (isConnected = true));
    });
    call.once('finish', () => (isWritten = true));
    call.once('error', brokenBeforeReply);
    call.once('response', (reply) => {
      // Before the end of the request, too: then it is refused.
      isAnswered = isWritten = true;
      bodyOf(reply, mostBytes).then((content) => {
        const received = new Headers();
        for (const [name, values = []] of Object.entries(reply.headersDistinct)) {
          for (const value of values) received.append(name, value);
        }
        const status = reply.statusCode as number; // Every reply has one.
        const statusText = reply.statusMessage ?? '';
        resolve(
          new Response(bodyless.has(status) ? null : content, {
            status,
            statusText,
            headers: received,
          }),
        );
      }, broken);
    });
    call.end(body);
  });
}

async function bodyOf(reply: IncomingMessage, mostBytes: number): Promise<Buffer<ArrayBuffer>> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of reply as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > mostBytes) throw new ReplyTooLong(`more than ${mostBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** A run that ends waits no longer for each attempt. */
const answerWithinMs = 3_000;

/** @param url - which may hold a secret: no message names it */
export const createWebhook = (url: string): WebhookPort => ({
  send: async (notice) => {
    try {
      const { ok, status } = await exchange(new URL(url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(notice),
        signal: AbortSignal.timeout(answerWithinMs),
        mostBytes: 1e6,
      });
      return ok ? null : `it answered with status ${status}`;
    } catch (error) {
      const { code = 'no answer' } = error as NodeJS.ErrnoException;
      return `it cannot be reached (${code})`;
    }
  },
});
