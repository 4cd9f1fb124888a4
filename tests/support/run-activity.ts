import type { Info } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import type { Logger } from '@temporalio/worker';

/** A failure that a test asks for needs no line on the console. */
const quiet: Logger = {
  log: () => undefined,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/**
 * Runs an activity as a worker would, outside any server.
 * @param heartbeatDetails - what the attempt before said last.
 * @param cancelled - when it resolves, the activity is cancelled.
 * @param info - what else the activity is told of itself
 */
export function runActivity<Input, Output>(
  activity: (input: Input) => Promise<Output>,
  input: Input,
  {
    heartbeatDetails,
    onHeartbeat = () => undefined,
    cancelled,
    info = {},
  }: {
    readonly heartbeatDetails?: unknown;
    readonly onHeartbeat?: (details: unknown) => void;
    readonly cancelled?: Promise<unknown>;
    readonly info?: Partial<Info>;
  } = {},
): Promise<Output> {
  const environment = new MockActivityEnvironment({ heartbeatDetails, ...info }, { logger: quiet });
  environment.on('heartbeat', onHeartbeat);
  void cancelled?.then(() => {
    environment.cancel();
  });
  return environment.run(activity, input);
}
