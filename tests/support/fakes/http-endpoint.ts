import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface HttpEndpoint {
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
  readonly close: () => Promise<void>;
}

/** A real HTTP server on a free port that records what it is asked and answers with `reply`. */
export async function startHttpEndpoint(
  reply: (response: ServerResponse, request: ReceivedRequest) => void,
): Promise<HttpEndpoint> {
  const received: ReceivedRequest[] = [];
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      const request = { path: incoming.url ?? '', headers: incoming.headers, body };
      received.push(request);
      reply(response, request);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  // A server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
