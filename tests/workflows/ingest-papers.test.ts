import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { beforeAll, describe, expect, it } from 'vitest';

type Bundle = Awaited<ReturnType<typeof bundleWorkflowCode>>;

let workflowBundle: Bundle;
beforeAll(async () => {
  workflowBundle = await bundleWorkflowCode({
    workflowsPath: resolve(import.meta.dirname, '../../workflows/index.ts'),
  });
}, 120_000);

const recorded = (name: string): string =>
  readFileSync(resolve(import.meta.dirname, '../replay', `${name}.json`), 'utf8');

const replay = (history: string): Promise<void> =>
  Worker.runReplayHistory({ workflowBundle }, JSON.parse(history));

describe('ingestion workflows', () => {
  // Recorded on Temporal 1.29.1: of four files one is new, one known, one absent and one without text.
  it('schedules what it scheduled when recorded', async () => {
    await replay(recorded('ingest-papers'));
    await replay(recorded('ingest-paper'));
  });

  it.each([
    ['ingest-papers', 'buildCollections', 'publishStore'],
    ['ingest-papers', 'ingest/papers/pdf/', 'ingest/papers/'],
    ['ingest-paper', 'readPaper', 'readPapers'],
  ])('would not schedule %s with %s replaced', async (name, part, other) => {
    const history = recorded(name).replaceAll(part, other);
    await expect(replay(history)).rejects.toThrow(DeterminismViolationError);
  });
});
