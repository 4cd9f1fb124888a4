import { z } from 'zod';

/** So often one workflow is started again from its files by one build of the workflows. */
export const mostRestarts = 3;

/** In the memo of a workflow that was started again. */
export const restartsSchema = z.object({
  /** The build of the workflows that could not go on with it. */
  build: z.string(),
  count: z.int().min(1),
  cause: z.string(),
});
export type Restarts = Readonly<z.infer<typeof restartsSchema>>;

/** An open workflow that no worker can go on with: its task fails each time, and Temporal repeats it for ever. */
export const stuckWorkflowSchema = z.object({
  workflowId: z.string(),
  /** The name of the workflow function. */
  type: z.string(),
  runId: z.string(),
  /** The error, as a part of a sentence. */
  cause: z.string(),
  build: z.string(),
  /** How often it was started again by this build already. */
  restarts: z.int().min(0),
});
export type StuckWorkflow = Readonly<z.infer<typeof stuckWorkflowSchema>>;

/** Whether it waits for another build, since this one has tried often enough. */
export const isGivenUp = ({ restarts }: Pick<StuckWorkflow, 'restarts'>): boolean =>
  restarts >= mostRestarts;

export const nextRestarts = ({ build, cause, restarts }: StuckWorkflow): Restarts => ({
  ...{ build, cause },
  count: restarts + 1,
});

/** `its workflow cannot go on: TypeError: x is not a function (workflow code); it is started again from its files`. */
export function stuckText(stuck: Pick<StuckWorkflow, 'cause' | 'restarts'>): string {
  const then = isGivenUp(stuck)
    ? `it was started again ${stuck.restarts} times, and waits for a worker of another version`
    : 'it is started again from its files';
  return `its workflow cannot go on: ${stuck.cause}; ${then}`;
}

/** What a workflow passes to its next history. One that is started again reads it from its files instead. */
const carried = ['state', 'progress', 'item'];

/** The input with which a workflow began its first history. */
export const firstInput = (input: unknown): unknown =>
  typeof input === 'object' && input !== null && !Array.isArray(input)
    ? Object.fromEntries(Object.entries(input).filter(([name]) => !carried.includes(name)))
    : input;
