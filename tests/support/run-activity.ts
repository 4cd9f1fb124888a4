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
 */
export function runActivity<Input, Output>(
  activity: (input: Input) => Promise<Output>,
  input: Input,
  {
    heartbeatDetails,
    onHeartbeat = () => undefined,
  }: {
    readonly heartbeatDetails?: unknown;
    readonly onHeartbeat?: (details: unknown) => void;
  } = {},
): Promise<Output> {
  const environment = new MockActivityEnvironment({ heartbeatDetails }, { logger: quiet });
  environment.on('heartbeat', onHeartbeat);
  return environment.run(activity, input);
}
