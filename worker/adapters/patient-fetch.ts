import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';

const plain = new HttpAgent({ keepAlive: true });
const secure = new HttpsAgent({ keepAlive: true });
const bodyless = new Set([204, 205, 304]);

/**
 * `fetch` for slow endpoints. Node's own gives up after five minutes without headers, and that cannot be set without
 * a second copy of its HTTP client; models that reason take longer. No redirects and no compressed replies.
 */
export const patientFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const body = request.body === null ? null : Buffer.from(await request.arrayBuffer());
  const url = new URL(request.url);
  const [send, agent] =
    url.protocol === 'https:' ? [httpsRequest, secure] : ([httpRequest, plain] as const);
  return new Promise((resolve, reject) => {
    const call = send(url, {
      method: request.method,
      headers: {
        ...Object.fromEntries(request.headers),
        ...(body && { 'content-length': String(body.length) }),
      },
      agent,
      // Not the request's own signal: that one is deaf once the request is collected as garbage.
      ...(init?.signal && { signal: init.signal }),
    });
    call.once('error', reject);
    call.once('response', (reply) => {
      // Replies have a status.
      const status = reply.statusCode as number;
      const headers = new Headers();
      for (const [name, value] of Object.entries(reply.headersDistinct)) {
        for (const one of value ?? []) headers.append(name, one);
      }
      const stream = bodyless.has(status) ? null : (Readable.toWeb(reply) as ReadableStream);
      resolve(new Response(stream, { status, statusText: reply.statusMessage ?? '', headers }));
    });
    call.end(body);
  });
};
