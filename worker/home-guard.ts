import { ApplicationFailure, Context } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { activityFailure } from '../activities/failures.js';
import { PortFailure } from '../activities/ports/port-failure.js';
import { isRetryable } from '../domain/failure-type.js';
import { homeFile, homeOf, type HomeId } from '../domain/home.js';

/** So long a home is taken to be where it was. */
const provenForMs = 5_000;

interface GuardedHome {
  readonly id: HomeId;
  readonly location: string;
  /** Null where there is no home any more. Throws PortFailure. */
  readonly read: () => Promise<HomeId | null>;
}

/** Throws PortFailure where the home is not where it was, or cannot be read. */
export async function proveHome({ id, location, read }: GuardedHome): Promise<void> {
  const found = await read();
  if (found === id) return;
  const instead = found === null ? `has no ${homeFile}` : `is home ${found}`;
  throw new PortFailure(
    'HomeMissing',
    `this worker serves home ${id}, but ${location} ${instead}: mount what belongs there, or end this worker`,
  );
}

/**
 * Lets a worker do only what it has the files for. An activity of another home, or one that comes while this home is
 * unmounted, fails and is tried again: without the files it would take runs for unknown, and end their questions.
 */
export function guardHome(
  guarded: GuardedHome,
  now = (): number => performance.now(),
): ActivityInboundCallsInterceptor {
  const { id, location } = guarded;
  let provenAt = -Infinity;

  async function prove(): Promise<void> {
    provenAt = -Infinity;
    await proveHome(guarded);
    provenAt = now();
  }

  function requireHome(workflow: string): void {
    const home = homeOf(workflow);
    if (home === id) return;
    throw new PortFailure(
      'HomeMissing',
      `this worker serves home ${id}, at ${location}, and workflow ${workflow} is of home ${home}: start a worker with the TURNWISE_HOME and TURNWISE_STORAGE of that home`,
    );
  }

  return {
    execute: async (input, next) => {
      try {
        requireHome(Context.current().info.workflowExecution?.workflowId ?? '');
        if (now() - provenAt > provenForMs) await prove();
        return await next(input).catch(async (error: unknown) => {
          // What is missing may be missing because the home is.
          if (error instanceof ApplicationFailure && error.nonRetryable) await prove();
          throw error;
        });
      } catch (error) {
        throw error instanceof PortFailure ? activityFailure(error) : error;
      }
    },
  };
}

const firstPauseMs = 500;
const longestPauseMs = 15_000;

interface Waiting {
  /** Tells people what the worker waits for. */
  readonly say: (sentence: string) => void;
  readonly pause: (ms: number) => Promise<unknown>;
}

/**
 * The id of a worker's home, as soon as its storage answers. A worker that starts while the storage is away waits for it, as
 * one does that works already.
 * @param open - throws PortFailure while the storage cannot be read
 */
export async function reachHome(
  open: () => Promise<HomeId>,
  { say, pause }: Waiting,
): Promise<HomeId> {
  let said = '';
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof PortFailure) || !isRetryable(error.type)) throw error;
      if (error.message !== said) say(`${error.message}; this worker waits for it`);
      said = error.message;
      await pause(pauseMs);
    }
  }
}
