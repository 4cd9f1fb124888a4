/** How long the first in the queue lets others pass it by. */
const patienceMs = 1000;

interface Waiting<Item, Wish> {
  readonly wish: Wish;
  readonly since: number;
  readonly enter: (item: Item) => void;
}

/**
 * Lends each of `items` to one task at a time. The other tasks wait in order, except that an item goes to the first task that
 * it suits while nobody has waited for long. A task whose signal aborts while it waits rejects with the signal's reason.
 */
export function createPool<Item, Wish>(
  items: readonly Item[],
  suits: (item: Item, wish: Wish) => boolean,
): <T>(wish: Wish, task: (item: Item) => Promise<T>, signal: AbortSignal) => Promise<T> {
  const free = new Set(items);
  const queue = new Set<Waiting<Item, Wish>>();

  const take = (wish: Wish, signal: AbortSignal): Promise<Item> => {
    signal.throwIfAborted();
    const [first] = free;
    if (first !== undefined) {
      const item = [...free].find((each) => suits(each, wish)) ?? first;
      free.delete(item);
      return Promise.resolve(item);
    }
    return new Promise((resolve, reject) => {
      const waiting = {
        wish,
        since: performance.now(),
        enter: (item: Item): void => {
          signal.removeEventListener('abort', leave);
          resolve(item);
        },
      };
      const leave = (): void => {
        queue.delete(waiting);
        reject(signal.reason as Error); // Temporal and Node abort with an Error.
      };
      signal.addEventListener('abort', leave, { once: true });
      queue.add(waiting);
    });
  };

  const giveBack = (item: Item): void => {
    const [first] = queue;
    if (first === undefined) {
      free.add(item);
      return;
    }
    const hasWaitedLong = performance.now() - first.since > patienceMs;
    const suited = hasWaitedLong ? undefined : [...queue].find(({ wish }) => suits(item, wish));
    const next = suited ?? first;
    queue.delete(next);
    next.enter(item);
  };

  return async (wish, task, signal) => {
    const item = await take(wish, signal);
    try {
      return await task(item);
    } finally {
      giveBack(item);
    }
  };
}

/** Runs at most `count` tasks at once, the others in order. */
export function createSemaphore(
  count: number,
): <T>(task: () => Promise<T>, signal: AbortSignal) => Promise<T> {
  const turns = createPool(
    Array.from({ length: count }, (_, index) => index),
    () => true,
  );
  return (task, signal) => turns(undefined, task, signal);
}
