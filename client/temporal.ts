import { InterceptingCall, Metadata, status, type Interceptor } from '@grpc/grpc-js';
import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { exitStatus, UserError } from './user-error.js';

/** A client of the server at `address`; TLS, keys and namespace as Temporal's own tools read them. */
export async function connectTemporal(address: string): Promise<Client> {
  const { connectionOptions, namespace } = loadClientConnectConfig({
    overrideEnvVars: { ...definedEnvironment(), TEMPORAL_ADDRESS: address },
  });
  try {
    const connection = await Connection.connect({
      ...connectionOptions,
      connectTimeout: '10 seconds',
      // The server refuses more than one ping in about ten seconds, and says so on the console.
      channelArgs: { 'grpc.keepalive_time_ms': 60_000 },
      interceptors: [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), cancelOnClosedChannel],
    });
    return new Client({ connection, ...(namespace && { namespace }) });
  } catch (error) {
    throw new UserError(
      `Temporal does not answer at ${address} (${error instanceof Error ? error.message : String(error)}); \`turnwise doctor\` says more`,
      exitStatus.serviceUnreachable,
    );
  }
}

const definedEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])),
  );

/**
 * gRPC throws when a call starts on a closed channel. The SDK starts its retries in a timer: nothing catches the exception
 * there, and it would end the process. Such a call fails with CANCELLED instead, which is not retried.
 */
const cancelOnClosedChannel: Interceptor = (options, nextCall) => {
  try {
    return new InterceptingCall(nextCall(options));
  } catch (error) {
    return cancelledCall(String(error));
  }
};

/** A call that is answered when it starts, and never reaches the channel. */
function cancelledCall(details: string): InterceptingCall {
  // No next call is needed, since `start` hands nothing on.
  const noCall = null as unknown as InterceptingCall;
  return new InterceptingCall(noCall, {
    start: (_metadata, listener) => {
      listener.onReceiveMessage(null);
      listener.onReceiveStatus({ code: status.CANCELLED, details, metadata: new Metadata() });
    },
    cancel: () => undefined,
  });
}
