import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { homeOf, type HomeId } from '../domain/home.js';
import { isGivenUp, stuckText, type StuckWorkflow } from '../domain/stuck-workflow.js';
import { findWorkflow, restartStuck, stuckOfHome } from '../temporal/stuck-workflows.js';
import { workflowNames } from '../workflows/messages.js';

const lookEveryMs = 5_000;
/** So long a failed task may take to be tried again, and visibility to list its workflow. */
const suspectedForMs = 60_000;
/** Run ids that one query names. */
const pageSize = 50;

interface Watched {
  readonly client: Client;
  readonly home: HomeId;
  /** Run ids, to which others are added. */
  readonly suspects: Set<string>;
  readonly say: (sentence: string) => void;
}

/**
 * Starts workflows of a home again that no worker can go on with: those that are open when this begins, and the suspects.
 * Never rejects: what cannot be asked now is asked again. Resolves when it is aborted.
 */
export async function restartStuckWorkflows(
  { client, home, suspects, say }: Watched,
  signal: AbortSignal,
): Promise<void> {
  const since = new Map<string, number>();
  const named = new Set<string>();
  let isFirst = true;
  while (!signal.aborted) {
    try {
      if (isFirst) for (const stuck of await stuckOfHome(client, home)) await restart(stuck);
      isFirst = false;
      await lookAtSuspects();
    } catch (error) {
      say(`open workflows cannot be looked after now: ${String(error)}`);
    }
    await sleep(lookEveryMs, undefined, { signal }).catch(() => undefined);
  }

  async function lookAtSuspects(): Promise<void> {
    for (const runId of suspects) since.set(runId, Date.now());
    suspects.clear();
    const runIds = [...since.keys()];
    for (let start = 0; start < runIds.length && !signal.aborted; start += pageSize) {
      const page = runIds.slice(start, start + pageSize);
      const query = `RunId IN (${page.map((runId) => `'${runId}'`).join(', ')}) AND ExecutionStatus = 'Running'`;
      for await (const { workflowId } of client.workflow.list({ query })) {
        if (homeOf(workflowId) !== home) continue;
        const found = await findWorkflow(client, workflowId);
        if (found.kind !== 'stuck') continue;
        since.delete(found.stuck.runId);
        await restart(found.stuck);
      }
    }
    for (const [runId, atMs] of since) {
      if (Date.now() - atMs > suspectedForMs) since.delete(runId);
    }
  }

  async function restart(stuck: StuckWorkflow): Promise<void> {
    const { workflowId, runId, type } = stuck;
    const isNews = !named.has(runId);
    named.add(runId);
    if (isNews) say(`${workflowId}: ${stuckText(stuck)}`);
    if (!isGivenUp(stuck)) return restartStuck(client, stuck);
    // Its run then ends it, and names the cause. The others wait for another version.
    if (type !== workflowNames.answerQuestion) return;
    await client.workflow.getHandle(workflowId, runId).terminate(stuckText(stuck));
  }
}
