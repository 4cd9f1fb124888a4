import { InterceptingCall, Metadata, status, type Interceptor } from '@grpc/grpc-js';
import { defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';

/** Retries as the SDK does, until the connection is closed. */
export const retryUnlessClosed = (): Interceptor[] => [
  makeGrpcRetryInterceptor(defaultGrpcRetryOptions()),
  cancelOnClosedChannel,
];

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
