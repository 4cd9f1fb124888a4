import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowFailedError } from '@temporalio/client';
import type { RunId, SampleKey } from '../../../domain/ids.js';
import { paidModels, type Tuning } from '../../../domain/runs/run-config.js';
import type { RunManifest } from '../../../domain/runs/run-manifest.js';
import type { RunSummary } from '../../../domain/runs/run-progress.js';
import { exitStatus, UserError } from '../../../domain/user-error.js';
import {
  pauseRunUpdate,
  resumeRunUpdate,
  cancelQuestionUpdate,
  tuneRunUpdate,
} from '../../../workflows/messages.js';
import { requirePrice } from './budget-price.js';
import { requireSample } from '../choose-samples.js';
import { withLiveRun } from '../live-run.js';

// Each throws UserError where no services run, there is no such run, or it refuses.

/** @param now - whether the model calls under way are given up */
export const pauseRun = (run: RunId, now: boolean): Promise<RunSummary> =>
  withLiveRun(run, ({ ask }) =>
    ask((handle) => handle.executeUpdate(pauseRunUpdate, { args: [{ now }] })),
  );

export const resumeRun = (run: RunId): Promise<RunSummary> =>
  withLiveRun(run, ({ ask }) => ask((handle) => handle.executeUpdate(resumeRunUpdate)));

export const cancelQuestion = (run: RunId, key: SampleKey): Promise<RunSummary> =>
  withLiveRun(run, async ({ ask, folder, manifest }) => {
    await requireSample(folder, manifest, key);
    return ask((handle) => handle.executeUpdate(cancelQuestionUpdate, { args: [key] }));
  });

/** A run knows the prices it was started with. */
const startedAgain = ' and give `turnwise run` the same arguments with --budget-usd';

export const tuneRun = (run: RunId, tuning: Tuning): Promise<RunSummary> =>
  withLiveRun(run, async ({ ask, manifest }) => {
    for (const paid of paidModels(manifest.config)) requirePrice(paid, tuning, startedAgain);
    return ask((handle) => handle.executeUpdate(tuneRunUpdate, { args: [tuning] }));
  });

/** Longer than it takes a worker to end what is in flight. */
const endMs = 20_000;

/** Returns the run as it has ended, and how many of its questions had. */
export const cancelRun = (
  run: RunId,
): Promise<{ readonly manifest: RunManifest; readonly ended: number }> =>
  withLiveRun(run, async ({ ask, folder }) => {
    const end = await ask(async (handle) => {
      await handle.cancel();
      const ended = handle.result().then(
        () => 'ended' as const,
        (error: unknown) => {
          if (error instanceof WorkflowFailedError) return 'ended' as const;
          throw error;
        },
      );
      return Promise.race([ended, sleep(endMs - 1000, 'late' as const, { ref: false })]);
    });
    if (end === 'late') {
      throw new UserError(
        `run ${run} is asked to end, and no worker has ended it yet: it will when one runs (\`turnwise up\` or \`turnwise worker\` starts one)`,
        exitStatus.serviceUnreachable,
      );
    }
    return { manifest: await folder.manifest(), ended: await folder.countResults() };
  });
