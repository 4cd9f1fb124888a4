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

/** Runs an activity as a worker would, outside any server. */
export function runActivity<Input, Output>(
  activity: (input: Input) => Promise<Output>,
  input: Input,
): Promise<Output> {
  return new MockActivityEnvironment({}, { logger: quiet }).run(activity, input);
}
