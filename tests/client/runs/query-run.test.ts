import { beforeAll, describe, expect, it } from 'vitest';
import { queryLive, slowQuestions } from '../../../client/runs/query-run.js';
import { startRun } from '../../../client/runs/start-run.js';
import { pauseRunUpdate, progressQuery } from '../../../workflows/messages.js';
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

const query = (run: TestRun, client = runs.client) =>
  queryLive(client, { run: run.manifest().run, folder: null });

describe('a query of a run', () => {
  it('finds it under way, paused, and no longer open', async () => {
    const run = runs.runOf(['a', 'b'], 1, ['a']);
    const handle = await run.start();
    await run.untilAsked('a');
    expect(await query(run)).toMatchObject({
      kind: 'open',
      progress: { summary: { inFlight: 1, heldBy: null } },
      slow: [],
    });
    await handle.executeUpdate(pauseRunUpdate, { args: [{ now: false }] });
    expect(await query(run)).toMatchObject({ progress: { summary: { heldBy: 'paused' } } });
    await handle.cancel();
    run.release('a');
    await handle.result().catch(() => undefined);
    expect(await query(run)).toEqual({ kind: 'not-open' });
    expect(await query(runs.runOf(['x'], 1))).toEqual({ kind: 'not-open' });
  });

  it('says how many workers there are where none answers', async () => {
    const run = runs.runOf(['a'], 1);
    const handle = await startRun(nobody(), run.manifest());
    expect(await query(run, nobody())).toEqual({ kind: 'silent', workers: 0 });
    expect(await query(run)).toEqual({ kind: 'silent', workers: 1 });
    await handle.terminate();
  });

  it('sees the model call that a question is at', async () => {
    const run = runs.runOf(['a'], 1, ['a']);
    const handle = await run.start();
    await run.untilAsked('a');
    const progress = await handle.query(progressQuery);
    const { client } = runs;
    const flight = { client, run: run.manifest().run, folder: null, progress };
    const doing = { kind: 'works', activity: 'askModel' };
    expect(await slowQuestions(flight, 3)).toMatchObject([{ uuid: 'a', turns: 0, doing }]);
    run.release('a');
    await handle.result();
    expect(await slowQuestions(flight, 3)).toMatchObject([{ doing: { kind: 'closed' } }]);
  });
});
