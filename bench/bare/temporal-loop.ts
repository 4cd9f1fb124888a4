import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { cpuMsOf } from '../services/usage.js';
import { forEachConcurrently } from './openai-loop.js';
import type { bareQuestionWorkflow } from './workflow.js';

export interface BareLoop {
  /** Runs the questions and resolves to the wall time in milliseconds. @defaultValue of `latencyMs`: 0 */
  readonly ask: (load: {
    readonly questions: number;
    readonly turns: number;
    readonly inFlight: number;
    readonly latencyMs?: number;
  }) => Promise<number>;
  /** The CPU time of the worker so far. */
  readonly cpuMs: () => number;
}

const taskQueue = 'bare-loop';

/** Starts a worker of a minimal Temporal workflow, on the server that turnwise's own worker uses. */
export async function withBareLoop<T>(
  client: Client,
  temporalAddress: string,
  work: (loop: BareLoop) => Promise<T>,
): Promise<T> {
  const program = fileURLToPath(new URL('worker.js', import.meta.url));
  const worker = fork(program, [temporalAddress, taskQueue]);
  const ended = once(worker, 'exit');
  await Promise.race([once(worker, 'message'), ended]);
  // A process that has sent a message has an id.
  const pid = worker.pid as number;
  let started = 0;
  try {
    return await work({
      cpuMs: () => cpuMsOf(pid),
      ask: async ({ questions, turns, inFlight, latencyMs = 0 }) => {
        const start = performance.now();
        await forEachConcurrently(inFlight, questions, async () => {
          started += 1;
          await client.workflow.execute<typeof bareQuestionWorkflow>('bareQuestionWorkflow', {
            workflowId: `bare/${started}`,
            taskQueue,
            args: [{ turns, latencyMs }],
          });
        });
        return performance.now() - start;
      },
    });
  } finally {
    if (worker.connected) worker.disconnect();
    await ended;
  }
}
