import { runWorkflowId, type RunId } from '../domain/ids.js';
import type { RunTotals } from '../domain/runs/run-totals.js';
import { followRun } from './execute-run.js';
import { progressDisplay } from './progress-display.js';
import type { RunFolder } from './run-folder.js';
import type { Services } from './services.js';
import { withServicesOf } from './session.js';

/**
 * Shows a run's progress until it ends. Throws UserError where it failed or was cancelled.
 * @param folder - null where the run's files are elsewhere
 */
export const watchToEnd = (
  services: Services,
  run: RunId,
  folder: RunFolder | null,
): Promise<RunTotals> =>
  withServicesOf(services, (session) => {
    const display = progressDisplay(session.client, run, folder);
    const handle = session.client.workflow.getHandle(runWorkflowId(run));
    return followRun(session, handle, { run }, display).finally(() => display.finish());
  });
