import {
  Client,
  credentials,
  InterceptingCall,
  Metadata,
  status,
  type Interceptor,
  type ServiceError,
} from '@grpc/grpc-js';
import { expect, it } from 'vitest';
import { retryUnlessClosed } from '../../../client/services/session.js';

it('a call that waits for its retry while the connection is closed fails, and the process goes on', async () => {
  const client = new Client('127.0.0.1:1', credentials.createInsecure());
  let attempts = 0;
  const failOnce: Interceptor = (options, nextCall) => {
    attempts += 1;
    if (attempts > 1) return new InterceptingCall(nextCall(options));
    // No next call is needed, since `start` hands nothing on.
    return new InterceptingCall(null as unknown as InterceptingCall, {
      start: (_metadata, listener) => {
        client.close();
        listener.onReceiveMessage(null);
        const { UNAVAILABLE: code } = status;
        listener.onReceiveStatus({ code, details: 'the server stops', metadata: new Metadata() });
      },
      sendMessage: () => undefined,
      halfClose: () => undefined,
    });
  };
  const bytes = (all: Buffer): Buffer => all;
  const failed = new Promise<ServiceError | null>((resolve) => {
    client.makeUnaryRequest(
      '/service/method',
      bytes,
      bytes,
      Buffer.alloc(0),
      new Metadata(),
      { interceptors: [...retryUnlessClosed(), failOnce] },
      resolve,
    );
  });
  expect(await failed).toMatchObject({ code: status.CANCELLED });
  expect(attempts).toBe(2);
});
