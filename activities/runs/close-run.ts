import { z } from 'zod';
import type { Amount } from '../../domain/budget/amount.js';
import type { Outcome } from '../../domain/agent/question-result.js';
import type { RunId, SampleKey } from '../../domain/ids.js';
import { addCost } from '../../domain/models/usage.js';
import { scoreMeans, type RunTotals } from '../../domain/runs/run-totals.js';
import { activity } from '../failures.js';
import type { ClockPort } from '../ports/clock.js';
import { PortFailure } from '../ports/port-failure.js';
import type { RunFilesPort } from '../ports/run-files.js';
import { endOnce, type EndQuestionPorts } from '../questions/end-question.js';
import { foldSamples, publishStoredEnds, type StoredEnds } from './stored-ends.js';

interface CloseRunPorts {
  readonly runFiles: RunFilesPort;
  readonly clock: ClockPort;
}

interface CloseRunInput {
  readonly run: RunId;
  /** @defaultValue 'done' */
  readonly status?: 'done' | 'cancelled';
  /** What the run's workflow knows to be spent. */
  readonly spent: Amount;
}

/**
 * Writes a run's end and totals into its manifest. It counts the stored ends, and not those that the run's workflow has
 * counted: a question that an earlier workflow of the run had started may have ended since.
 */
export function createCloseRun({
  runFiles,
  clock,
}: CloseRunPorts): (input: CloseRunInput) => Promise<StoredEnds> {
  return activity(async ({ run, status = 'done', spent }, { keep }) => {
    const ends = await publishStoredEnds(runFiles, run, keep);
    const manifest = await runFiles.manifest(run);
    await runFiles.saveManifest({
      ...manifest,
      status,
      totals: ends.totals,
      spent,
      meanScores: Object.fromEntries(
        scoreMeans(ends.totals.scores).map(({ scale, mean }) => [scale, mean]),
      ),
      costUsd: costOfRun(ends.totals),
      endedAt: clock.now(),
    });
    return ends;
  });
}

/** Null if the price of a call is unknown. */
function costOfRun({ cost, judged }: RunTotals): number | null {
  const { usd, unpricedCalls } = addCost(cost, judged.cost);
  return unpricedCalls === 0 ? usd : null;
}

interface CollectResultsInput {
  readonly run: RunId;
  readonly keys: readonly SampleKey[];
}

/** Publishes the ends of `keys` in `results.jsonl` and `scores.jsonl`. Calls for one run must not overlap. */
export function createCollectResults({
  runFiles,
}: {
  readonly runFiles: RunFilesPort;
}): (input: CollectResultsInput) => Promise<void> {
  return activity(async ({ run, keys }) => {
    const records = await Promise.all(
      keys.map(async (key) => {
        const record = await runFiles.end(run, key);
        if (record) return record;
        throw new PortFailure('InvalidRun', `question ${key.uuid} has not ended in run ${run}`);
      }),
    );
    await runFiles.publish(run, records);
  });
}

interface EndUnstartedInput {
  readonly run: RunId;
  readonly outcome: Outcome;
}

/**
 * Ends every question of a run that has no end, with an outcome that comes from the run. No question may be in flight, but
 * some may have turns, from an earlier start of the run or from before a retry.
 */
export function createEndUnstarted(
  ports: EndQuestionPorts,
): (input: EndUnstartedInput) => Promise<void> {
  return activity(async ({ run, outcome }, { keep }) => {
    await foldSamples({
      runFiles: ports.runFiles,
      run,
      keep,
      schema: z.null(),
      first: null,
      step: async (_, batch) => {
        const startedAt = ports.clock.now();
        const unended = batch.filter(({ end }) => end === null);
        await Promise.all(
          unended.map(({ sample: { uuid, epoch } }) =>
            endOnce(ports, { run, uuid, epoch, outcome, startedAt, started: false }),
          ),
        );
        return null;
      },
    });
  });
}
