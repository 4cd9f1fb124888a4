import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ingestPapers } from '../../client/runs/stores/store-workflows.js';
import { openStore } from '../../client/runs/stores/store-files.js';
import { loadEnvironment } from '../../client/services/environment.js';
import { withServices } from '../../client/services/session.js';
import { ingestionWorkflowId, storeNameSchema } from '../../domain/ids.js';
import { servicesOf } from '../chaos/kill-service.js';
import { cpuMsOf } from '../services/cpu-time.js';
import { historyBytes } from '../services/history-size.js';
import { memoryMibOf } from '../services/memory.js';

export interface Ingestion {
  /** Of the store. */
  readonly papers: number;
  readonly pages: number;
  readonly wallMs: number;
  /** Bytes of each history of the ingestion's workflow: one for each time that it continued as new. */
  readonly histories: readonly number[];
  /** The most resident memory of each process, in MiB. */
  readonly peakMb: ByProcess;
  /** The CPU time of each process during the ingestion, in milliseconds. */
  readonly cpuMs: ByProcess;
}

type ByProcess = Readonly<Record<string, number>>;

export const processes = ['worker', 'temporal', 'milvus', 'command'] as const;

/** Ingests PDFs into a new home. Its services are started before the clock. */
export async function ingestFiles(
  files: readonly string[],
  log: (step: string) => void,
): Promise<Ingestion> {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-ingest-'));
  const store = storeNameSchema.parse('many');
  const environment = { ...loadEnvironment(), TURNWISE_HOME: home };
  try {
    return await withServices(environment, async (session) => {
      log(`ingesting ${files.length} PDFs`);
      const before = byProcess(home, cpuMsOf, ownCpuMs());
      const start = performance.now();
      const { ingested, failed } = await ingestPapers(session, environment, store, files);
      const wallMs = performance.now() - start;
      const after = byProcess(home, cpuMsOf, ownCpuMs());
      for (const { reason } of failed) log(reason);
      const { papers } = await openStore(environment, store);
      const query = `WorkflowId = '${ingestionWorkflowId(session.client.home, store)}'`;
      return {
        papers: ingested.length,
        pages: papers.reduce((sum, { pages }) => sum + pages, 0),
        wallMs,
        histories: await historyBytes(session.client, query),
        peakMb: byProcess(home, peakOf, peakOf(process.pid)),
        cpuMs: Object.fromEntries(
          processes.map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]),
        ),
      };
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const peakOf = (pid: number): number => memoryMibOf(pid, 'VmHWM') ?? 0;

/** @param ofCommand - the same of this process without its children, which are the services */
const byProcess = (
  home: string,
  measure: (pid: number) => number,
  ofCommand: number,
): ByProcess => ({
  ...Object.fromEntries(
    (servicesOf(home)?.services ?? []).map(({ name, pid }) => [name, measure(pid)]),
  ),
  command: ofCommand,
});

const ownCpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
