import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Signs API keys for a server of the test's own, as a team's sign-on would. */
export interface KeyIssuer {
  /** Where the server finds the key that signs them (RFC 7517). */
  readonly jwksUrl: string;
  /** @param permissions - such as `benchmarks:write` or `temporal-system:admin` */
  readonly issue: (...permissions: readonly string[]) => string;
  readonly close: () => void;
}

export async function startKeyIssuer(): Promise<KeyIssuer> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const kid = 'tests';
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }];
  const server = createServer((_request, response) => response.end(JSON.stringify({ keys })));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const encode = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  return {
    jwksUrl: `http://127.0.0.1:${port}/keys.json`,
    issue: (...permissions) => {
      const claims = { sub: 'a-test', permissions };
      const text = `${encode({ alg: 'RS256', typ: 'JWT', kid })}.${encode(claims)}`;
      const signature = sign('sha256', Buffer.from(text), privateKey);
      return `${text}.${signature.toString('base64url')}`;
    },
    close: () => server.close(),
  };
}
