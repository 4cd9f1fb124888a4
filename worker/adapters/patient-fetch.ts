import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { buffer } from 'node:stream/consumers';

const plain = new HttpAgent({ keepAlive: true });
const secure = new HttpsAgent({ keepAlive: true });
const bodyless = new Set([204, 205, 304]);

/**
 * `fetch` of texts for slow endpoints. Node's own gives up after five minutes without headers, and that cannot be set
 * without a second copy of its HTTP client; models that reason take longer. No redirects and no compressed replies; a reply
 * is there when its body is.
 */
export const patientFetch: typeof fetch = async (input, init = {}) => {
  const url = new URL(input instanceof Request ? input.url : input);
  const [send, agent] =
    url.protocol === 'https:' ? [httpsRequest, secure] : ([httpRequest, plain] as const);
  const { method = 'GET', body, signal } = init;
  if (typeof body !== 'string' && body !== undefined && body !== null) {
    throw new TypeError('Only texts are sent.');
  }
  return new Promise((resolve, reject) => {
    const call = send(url, {
      method,
      headers: {
        ...Object.fromEntries(new Headers(init.headers)),
        ...(typeof body === 'string' && { 'content-length': Buffer.byteLength(body) }),
      },
      agent,
      ...(signal && { signal }),
    });
    call.once('error', reject);
    call.once('response', (reply) => {
      buffer(reply).then((content) => {
        const headers = new Headers();
        for (const [name, values = []] of Object.entries(reply.headersDistinct)) {
          for (const value of values) headers.append(name, value);
        }
        // Replies have a status.
        const status = reply.statusCode as number;
        const statusText = reply.statusMessage ?? '';
        resolve(
          new Response(bodyless.has(status) ? null : content, { status, statusText, headers }),
        );
      }, reject);
    });
    call.end(body);
  });
};
