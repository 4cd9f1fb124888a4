import envPaths from 'env-paths';

/** What obtaining an engine needs: where to keep it, whom to tell, when to stop. */
export interface SetupContext {
  readonly cacheFolder: string;
  readonly onStep: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Where fetched engines live: outside any checkout, so that all share them. */
export function cacheFolder(chosen: string | undefined): string {
  return chosen ?? envPaths('turnwise', { suffix: '' }).cache;
}

const reminderMs = 30_000;

interface LongStep<T> {
  readonly what: string;
  readonly expectation: string;
  /** @defaultValue `done` */
  readonly conclude?: (result: T) => string;
}

/** Announces a long step, reminds every half minute that it is alive, and says how it ended and how long it took. */
export async function timedStep<T>(
  { onStep }: SetupContext,
  { what, expectation, conclude = () => 'done' }: LongStep<T>,
  action: () => Promise<T>,
): Promise<T> {
  const begun = performance.now();
  const elapsed = (): string => `${((performance.now() - begun) / 1000).toFixed(0)} s`;
  onStep(`${what} (${expectation})`);
  const reminder = setInterval(() => onStep(`${what}: still at it after ${elapsed()}`), reminderMs);
  try {
    const result = await action();
    onStep(`${what}: ${conclude(result)} (${elapsed()})`);
    return result;
  } finally {
    clearInterval(reminder);
  }
}

/** An embedded service or engine that cannot be had. The message is one sentence for the user, remedy included. */
export class EmbeddedFailure extends Error {
  override readonly name = 'EmbeddedFailure';

  /** @param exitStatus - 2 when settings or files are at fault, 3 when a service cannot be reached. */
  constructor(
    message: string,
    readonly exitStatus: 2 | 3,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
