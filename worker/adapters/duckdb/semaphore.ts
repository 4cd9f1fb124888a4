/** Lets at most `count` tasks run at once; the others wait in order, and stop waiting when their signal aborts. */
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
        // Whoever aborted chose the reason; it is an Error wherever Temporal or Node aborts.
        reject(signal.reason as Error);
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
