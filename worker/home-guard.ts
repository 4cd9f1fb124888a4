import { ApplicationFailure, Context } from '@temporalio/activity';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { activityFailure } from '../activities/failures.js';
import { PortFailure } from '../activities/ports/port-failure.js';
import { homeFile, homeOf, type HomeId } from '../domain/home.js';

/** So long a home is taken to be where it was. */
const provenForMs = 5_000;

export interface GuardedHome {
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
