import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { SimulatedModel } from '../../../simulator/simulated-model.js';

const requestSchema = z.object({
  model: z.string(),
  messages: z.array(z.object({ content: z.string() })).nonempty(),
});

/** A call whose reply is there, and is held back. */
export interface HeldCall {
  /** From 1, in the order of arrival. */
  readonly number: number;
  readonly model: string;
  /** The last message. */
  readonly prompt: string;
}

/** A model whose replies are held back until they are released. Each names the number of its call as its model. */
export interface HeldModel {
  readonly url: string;
  /** Calls that have arrived. */
  readonly arrived: () => number;
  /** Those whose caller still waits. */
  readonly held: () => readonly HeldCall[];
  /** From now on, for calls that are held and for those to come. */
  readonly releaseOnly: (isReleased: (call: HeldCall) => boolean) => void;
  readonly close: () => void;
}

/** Holds nothing at first. */
export async function startHeldModel(inner: SimulatedModel): Promise<HeldModel> {
  let arrived = 0;
  let isReleased: (call: HeldCall) => boolean = () => true;
  const held = new Map<HeldCall, () => void>();
  const server = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      const isCall = request.method === 'POST';
      const number = isCall ? (arrived += 1) : 0;
      const { status, reply } = await forward(inner.url, request, body);
      response.writeHead(status, { 'content-type': 'application/json' });
      if (!isCall) {
        response.end(reply);
        return;
      }
      const { model, messages } = requestSchema.parse(JSON.parse(body));
      const call: HeldCall = { number, model, prompt: messages.at(-1)?.content ?? '' };
      const numbered = JSON.stringify({ ...JSON.parse(reply), model: `call-${number}` });
      held.set(call, () => response.end(numbered));
      response.on('close', () => held.delete(call));
      releaseHeld();
    })();
  });
  const releaseHeld = (): void => {
    for (const [call, send] of held) {
      if (!isReleased(call)) continue;
      held.delete(call);
      send();
    }
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A TCP server has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    arrived: () => arrived,
    held: () => [...held.keys()],
    releaseOnly: (released) => {
      isReleased = released;
      releaseHeld();
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function forward(
  url: string,
  request: IncomingMessage,
  body: string,
): Promise<{ readonly status: number; readonly reply: string }> {
  const path = (request.url ?? '').replace(/^\/v1/, '');
  const answer = await fetch(`${url}${path}`, {
    method: request.method ?? 'GET',
    headers: { 'content-type': 'application/json', authorization: 'Bearer key' },
    ...(body !== '' && { body }),
  });
  return { status: answer.status, reply: await answer.text() };
}
