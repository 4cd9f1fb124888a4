/** Runs at most `count` tasks at once. Others wait in order, and reject with their signal's reason if that aborts. */
export function createSemaphore(
  count: number,
): <T>(task: () => Promise<T>, signal: AbortSignal) => Promise<T> {
  let free = count;
  const waiting = new Set<() => void>();

  const acquire = (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        waiting.delete(enter);
        reject(signal.reason as Error); // Temporal and Node abort with an Error.
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.add(enter);
    });
  };

  const release = (): void => {
    const [next] = waiting;
    if (!next) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  };

  return async (task, signal) => {
    await acquire(signal);
    try {
      return await task();
    } finally {
      release();
    }
  };
}
