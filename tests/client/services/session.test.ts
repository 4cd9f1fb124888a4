import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { connectTemporal, fateOfWork } from '../../../client/services/session.js';
import { environmentSchema, type Environment } from '../../../domain/settings.js';

const unimplemented = 12;
const unavailable = 14;
const cancelled = 1;

interface Answering {
  readonly address: string;
  readonly answerWith: (code: number) => void;
}

const settings = (): Environment =>
  environmentSchema.parse({ TURNWISE_HOME: mkdtempSync(join(tmpdir(), 'turnwise-session-')) });

/** A server that answers every call with one status. Temporal's client needs no more to connect. */
async function serve(): Promise<Answering> {
  let code = unimplemented;
  const server = createServer();
  server.on('stream', (stream) => {
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(code) },
      { endStream: true },
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not a TCP server');
  return { address: `127.0.0.1:${address.port}`, answerWith: (next) => (code = next) };
}

it('ends a call that waits to be retried when its connection is closed', async () => {
  const { address, answerWith } = await serve();
  const { connection } = await connectTemporal(address, settings());
  answerWith(unavailable);
  const call = connection.workflowService.getSystemInfo({});
  const ended = expect(call).rejects.toMatchObject({ code: cancelled });
  // The SDK retries 0.1 seconds after the first answer.
  await new Promise((resolve) => setTimeout(resolve, 50));
  await connection.close();
  await ended;
});

it('rejects a call on a closed connection', async () => {
  const { address } = await serve();
  const { connection } = await connectTemporal(address, settings());
  await connection.close();
  await expect(connection.workflowService.getSystemInfo({})).rejects.toMatchObject({
    code: cancelled,
  });
});

it.each([
  [true, true, /^stopped, with the services it had started; nothing is lost/],
  [false, true, /goes on, since the services are still running: .*status RUN --watch.*cancel RUN/],
  [false, false, /^no longer watching; the services do not run any more, and nothing is lost/],
])('says what becomes of interrupted work: %s %s', async (startedHere, there, sentence) => {
  const areThere = (): Promise<boolean> => Promise.resolve(there);
  expect(await fateOfWork({ startedHere, areThere })).toMatch(sentence);
});
