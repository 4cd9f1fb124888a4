import { request } from 'node:http';
import { request as requestWithTls } from 'node:https';

export interface ViewReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** A request with headers that `fetch` does not let be set, such as `Host`. Redirects are not followed. */
export function viewRequest(
  port: number,
  path: string,
  options: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    /** For TLS: by whom the server is certified. Its certificate is checked for one of its names, whatever `Host` says. */
    readonly ca?: string;
  } = {},
): Promise<ViewReply> {
  const { method = 'GET', headers = {}, body, ca } = options;
  return new Promise((resolve, reject) => {
    const send = ca === undefined ? request : requestWithTls;
    const sent = send(
      { host: '127.0.0.1', port, path, method, headers, ca, servername: 'temporal.example' },
      (reply) => {
        let text = '';
        reply.setEncoding('utf8');
        reply.on('data', (part: string) => (text += part));
        reply.on('end', () =>
          resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The cookie for which the token of an address is exchanged. */
export async function cookieOf({
  url,
  port,
}: {
  readonly url: string;
  readonly port: number;
}): Promise<string> {
  const { pathname, search } = new URL(url);
  const { headers } = await viewRequest(port, `${pathname}${search}`);
  return String(headers['set-cookie']).split(';')[0] ?? '';
}
