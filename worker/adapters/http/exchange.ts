import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

const plain = new HttpAgent({ keepAlive: true });
const secure = new HttpsAgent({ keepAlive: true });
const bodyless = new Set([204, 205, 304]);

/** The body of a reply is longer than its reader takes. */
export class ReplyTooLong extends Error {
  override readonly name = 'ReplyTooLong';
}

/**
 * One HTTP request of a slow server. Node's `fetch` fails after five minutes without headers, which only a second copy of its
 * HTTP client could change. This one follows no redirects, reads no compressed replies, and resolves when the whole body
 * has arrived.
 * @param mostBytes - of the reply. Throws ReplyTooLong beyond. @defaultValue unlimited
 */
export function exchange(
  url: URL,
  {
    method,
    headers = {},
    body,
    signal,
    mostBytes = Infinity,
  }: {
    readonly method: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array | undefined;
    readonly signal?: AbortSignal | null | undefined;
    readonly mostBytes?: number;
  },
): Promise<Response> {
  const [send, agent] =
    url.protocol === 'https:' ? [httpsRequest, secure] : ([httpRequest, plain] as const);
  return new Promise((resolve, reject) => {
    const call = send(url, {
      method,
      headers: {
        ...headers,
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
      agent,
      ...(signal && { signal }),
    });
    call.once('error', reject);
    call.once('response', (reply) => {
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
      }, reject);
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
