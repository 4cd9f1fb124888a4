/** How long the first in the queue lets others pass it by. */
const patienceMs = 1000;

/** How long a task waits for a busy item that suits it, though another one is free. To open a database takes about as long. */
const ownItemMs = 20;

interface Waiting<Item, Wish> {
  readonly wish: Wish;
  readonly since: number;
  /** Whether it has waited for an item of its own. */
  takesAny: boolean;
  readonly enter: (item: Item) => void;
}

/**
 * Lends each of `items` to one task at a time. The other tasks wait in order, except that an item goes to the first task that
 * it suits while nobody has waited for long. A task that a busy item suits waits a moment for that one. A task whose signal
 * aborts while it waits rejects with the signal's reason.
 */
export function createPool<Item, Wish>(
  items: readonly Item[],
  suits: (item: Item, wish: Wish) => boolean,
): <T>(wish: Wish, task: (item: Item) => Promise<T>, signal: AbortSignal) => Promise<T> {
  const free = new Set(items);
  const queue = new Set<Waiting<Item, Wish>>();

  const nextFor = (item: Item): Waiting<Item, Wish> | undefined => {
    const waiting = [...queue];
    const [first] = waiting;
    if (first !== undefined && performance.now() - first.since > patienceMs) return first;
    return (
      waiting.find(({ wish }) => suits(item, wish)) ??
      waiting.find(({ wish, takesAny }) => takesAny || !items.some((each) => suits(each, wish)))
    );
  };

  const lend = (item: Item): void => {
    const next = nextFor(item);
    if (next === undefined) return;
    free.delete(item);
    queue.delete(next);
    next.enter(item);
  };
  const lendAll = (): void => free.forEach(lend);

  const take = (wish: Wish, signal: AbortSignal): Promise<Item> => {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const waiting: Waiting<Item, Wish> = {
        wish,
        since: performance.now(),
        takesAny: false,
        enter: (item) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', leave);
          resolve(item);
        },
      };
      const leave = (): void => {
        clearTimeout(timer);
        queue.delete(waiting);
        reject(signal.reason as Error); // Temporal and Node abort with an Error.
      };
      const timer = setTimeout(() => {
        waiting.takesAny = true;
        lendAll();
      }, ownItemMs);
      signal.addEventListener('abort', leave, { once: true });
      queue.add(waiting);
      lendAll();
    });
  };

  return async (wish, task, signal) => {
    const item = await take(wish, signal);
    try {
      return await task(item);
    } finally {
      free.add(item);
      lend(item);
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
