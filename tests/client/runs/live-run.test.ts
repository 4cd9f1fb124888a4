import { dirname } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { askRun } from '../../../client/runs/live-run.js';
import { RunFolder } from '../../../client/runs/run-folder.js';
import { startRun } from '../../../client/runs/start-run.js';
import { exitStatus } from '../../../domain/user-error.js';
import { pauseRunUpdate, tuneRunUpdate } from '../../../workflows/messages.js';
import {
  startRunsUnderTest,
  type RunsUnderTest,
  type TestRun,
} from '../../support/runs/runs-under-test.js';
import { atHome } from '../../support/test-home.js';

let runs: RunsUnderTest;
beforeAll(async () => {
  runs = await startRunsUnderTest();
  return () => runs.stop();
});

const nobody = () => atHome(runs.client, 'nobody');

const folderOf = (run: TestRun): RunFolder =>
  new RunFolder(dirname(dirname(run.folder)), run.manifest().run);

const pause = (run: TestRun, withinMs?: number): Promise<unknown> =>
  askRun(
    runs.client,
    folderOf(run),
    (handle) => handle.executeUpdate(pauseRunUpdate, { args: [{ now: false }] }),
    withinMs,
  );

describe('what is asked of a run', () => {
  it('while no worker runs says so, and how to start one', async () => {
    const run = runs.runOf(['a'], 1);
    const handle = await startRun(nobody(), run.manifest());
    await expect(pause(run, 500)).rejects.toMatchObject({
      name: 'UserError',
      status: exitStatus.serviceUnreachable,
      message: expect.stringMatching(
        /^no worker runs that could answer for run .*`turnwise up`/,
      ) as string,
    });
    await handle.terminate();
  });

  it('that it refuses is refused in its own words', async () => {
    const run = runs.runOf(['a'], 1, ['a']);
    await run.start();
    const deadline = '2020-01-01T00:00:00Z';
    await expect(
      askRun(runs.client, folderOf(run), (handle) =>
        handle.executeUpdate(tuneRunUpdate, { args: [{ deadline }] }),
      ),
    ).rejects.toMatchObject({ name: 'UserError', message: `the deadline ${deadline} is past` });
    run.release('a');
    await run.handle.result();
  });

  it('once it has ended says what there is to do', async () => {
    const run = runs.runOf(['a'], 1);
    await run.start();
    await run.handle.result();
    await expect(pause(run)).rejects.toMatchObject({
      name: 'UserError',
      message: expect.stringMatching(/is done; `turnwise retry /) as string,
    });
  });
});
