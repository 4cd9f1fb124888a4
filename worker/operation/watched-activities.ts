import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { z } from 'zod';

/** The activities that one process does now. */
interface WatchedActivities {
  /** Of the SDK: notes when each begins and ends, and says in every record of the log what it is about. */
  readonly interceptor: ActivityInterceptorsFactory;
  /** How many have begun so far. */
  readonly begun: () => number;
  /** For how long the oldest one that belongs to a turn has been at work, waits for limits included. 0 where there is none. */
  readonly oldestTurnMs: () => number;
}

/** What the first argument of most activities names. */
const subjectSchema = z
  .object({
    run: z.string(),
    uuid: z.string(),
    epoch: z.number(),
    turn: z.number(),
    judge: z.number(),
    dataset: z.string(),
    item: z.string(),
    store: z.string(),
  })
  .partial();
type Subject = Readonly<z.infer<typeof subjectSchema>>;

/** @param now - milliseconds of a monotonic clock */
export function watchActivities(now = (): number => performance.now()): WatchedActivities {
  /** When each began, in that order. */
  const turns = new Map<symbol, number>();
  let begun = 0;
  return {
    begun: () => begun,
    oldestTurnMs: () => {
      const [oldest] = turns.values();
      return oldest === undefined ? 0 : now() - oldest;
    },
    interceptor: () => {
      let subject: Subject = {};
      return {
        inbound: {
          execute: async (input, next) => {
            subject = subjectSchema.safeParse(input.args[0]).data ?? {};
            const id = Symbol();
            begun += 1;
            if (subject.turn !== undefined) turns.set(id, now());
            try {
              return await next(input);
            } finally {
              turns.delete(id);
            }
          },
        },
        outbound: {
          getLogAttributes: (attributes, next) => {
            const { uuid, ...others } = subject;
            return next({
              ...attributes,
              ...(uuid !== undefined && { question: uuid }),
              ...others,
            });
          },
        },
      };
    },
  };
}

/** What a worker that may end when it is idle is asked. */
interface Busyness {
  /** Whether it does something now. */
  readonly isBusy: () => boolean;
  /** How many tasks it has begun so far. */
  readonly begun: () => number;
  /** How many wait for a worker at the server. */
  readonly backlog: () => Promise<number>;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

const lookEveryMs = 500;

/** Resolves when a worker has had nothing to do for `idleMs`, and nothing waits for it; or when the signal aborts. */
export async function untilIdle(
  { isBusy, begun, backlog, now, pause }: Busyness,
  idleMs: number,
  signal: AbortSignal,
): Promise<void> {
  let seen = begun();
  for (let busyAt = now(); !signal.aborted;) {
    await pause(Math.min(lookEveryMs, idleMs));
    if (isBusy() || begun() !== seen) busyAt = now();
    seen = begun();
    if (now() - busyAt < idleMs) continue;
    // A server that does not answer cannot say that nothing waits.
    if ((await backlog().catch(() => 1)) === 0 && begun() === seen && !isBusy()) return;
    busyAt = now();
  }
}
