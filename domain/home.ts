import { z } from 'zod';

/**
 * The id of a home: the place where runs are kept, a folder or a prefix of a bucket. It is in task queues and workflow ids,
 * so that homes that share a Temporal namespace never meet, and a worker only gets work on files that it can read.
 */
export const homeIdSchema = z
  .string()
  .regex(/^[a-z0-9]{4,32}$/, 'must be 4 to 32 of a-z and 0-9')
  .brand<'HomeId'>();
export type HomeId = z.infer<typeof homeIdSchema>;

/** Where the id is, once and for all: made by the first process that needs it. */
export const homeFile = 'home.json';
export const homeSchema = z.object({
  id: homeIdSchema,
  /** The id of the key with which workers encrypt what Temporal stores. Absent where they do not. */
  payloadKey: z.string().optional(),
});
export type Home = Readonly<z.infer<typeof homeSchema>>;

/** @param name - TURNWISE_TASK_QUEUE */
export const taskQueueOf = (name: string, home: HomeId): string => `${name}-${home}`;

/** The workflow id of what has the name `name` in a home. */
export const inHome = (home: HomeId, name: string): string => `${home}/${name}`;

/** A worker polls once a minute, or more often. */
const workerSeenMs = 90_000;

/** A worker that has polled a task queue, as Temporal describes it. */
interface Poller {
  readonly lastAccessTime?: { readonly seconds?: unknown } | null;
}

/** How many of those that have polled a task queue still do. */
export const workersOf = (pollers: readonly Poller[], nowMs: number): number =>
  pollers.filter(
    ({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000 > nowMs - workerSeenMs,
  ).length;

/** The home that a workflow belongs to (`ids.ts`). */
export const homeOf = (workflowId: string): HomeId => workflowId.split('/', 1)[0] as HomeId;
