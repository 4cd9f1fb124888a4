export { enginesFolder as cacheFolder } from '../../storage/engines-folder.js';

/** The context in which an engine is installed. */
export interface SetupContext {
  readonly cacheFolder: string;
  readonly onStep: (text: string) => void;
  readonly signal: AbortSignal;
  /** Where Go keeps what it fetches and compiles, so that programs with parts in common share it. By default each build is alone. */
  readonly goFolder?: string;
}

const reminderMs = 30_000;

interface LongStep<T> {
  readonly what: string;
  readonly expectation: string;
  /** @defaultValue `done` */
  readonly conclude?: (result: T) => string;
}

/** Reports the start of a long step, its progress every half minute, and its result and duration. */
export async function timedStep<T>(
  { onStep }: SetupContext,
  { what, expectation, conclude = () => 'done' }: LongStep<T>,
  action: () => Promise<T>,
): Promise<T> {
  const startMs = performance.now();
  const elapsed = (): string => `${((performance.now() - startMs) / 1000).toFixed(0)} s`;
  onStep(`${what} (${expectation})`);
  const reminder = setInterval(
    () => onStep(`${what}: still running after ${elapsed()}`),
    reminderMs,
  );
  try {
    const result = await action();
    onStep(`${what}: ${conclude(result)} (${elapsed()})`);
    return result;
  } finally {
    clearInterval(reminder);
  }
}

/** An embedded service or engine that is not available. The message is a sentence for the user, with the remedy. */
export class EmbeddedFailure extends Error {
  override readonly name = 'EmbeddedFailure';

  /** @param exitStatus - 2 if settings or files are wrong, 3 if a service is not available */
  constructor(
    message: string,
    readonly exitStatus: 2 | 3,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
