import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { cpuMsOf } from '../cpu-time.js';
import { inWindow } from '../in-window.js';
import type { bareQuestionWorkflow } from './workflow.js';

export interface BareLoop {
  /** Wall time of so many questions, in milliseconds. */
  readonly ask: (load: BareLoad) => Promise<number>;
  /** Of its worker so far. */
  readonly cpuMs: () => number;
}

export interface BareLoad {
  readonly questions: number;
  readonly turns: number;
  readonly inFlight: number;
  /** @defaultValue 0 */
  readonly latencyMs?: number;
}

const taskQueue = 'bare-loop';

/** The least a Temporal worker can do with a question, on the server that turnwise's own worker uses. */
export async function withBareLoop<T>(
  client: Client,
  temporalAddress: string,
  work: (loop: BareLoop) => Promise<T>,
): Promise<T> {
  const program = fileURLToPath(new URL('worker.js', import.meta.url));
  const worker = fork(program, [temporalAddress, taskQueue]);
  const ended = once(worker, 'exit');
  await Promise.race([once(worker, 'message'), ended]);
  // A process that has said something has an id.
  const pid = worker.pid as number;
  let started = 0;
  try {
    return await work({
      cpuMs: () => cpuMsOf(pid),
      ask: async ({ questions, turns, inFlight, latencyMs = 0 }) => {
        const start = performance.now();
        await inWindow(inFlight, questions, async () => {
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
