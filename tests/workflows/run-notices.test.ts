import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PortFailure } from '../../activities/ports/port-failure.js';
import type { RunHandle } from '../../client/runs/start-run.js';
import { runIdSchema } from '../../domain/ids.js';
import type { RunNotice } from '../../domain/runs/run-notice.js';
import { createWebhook } from '../../worker/adapters/http/exchange.js';
import { pauseRunUpdate, resumeRunUpdate, tuneRunUpdate } from '../../workflows/messages.js';
import { eventually } from '../support/command-line.js';
import { startHttpEndpoint, type HttpEndpoint } from '../support/fakes/http-endpoint.js';
import { startRunsWithWebhook, type RunsUnderTest } from '../support/runs/runs-under-test.js';
import { testHome } from '../support/test-home.js';

let runs: RunsUnderTest;
let endpoint: HttpEndpoint;
/** Of its coming answers. */
let statuses: number[] = [];
beforeAll(async () => {
  endpoint = await startHttpEndpoint((response) => {
    response.writeHead(statuses.shift() ?? 204).end();
  });
  runs = await startRunsWithWebhook(createWebhook(`${endpoint.url}/hook?key=sk-1`));
  return async () => {
    await runs.stop();
    await endpoint.close();
  };
});
beforeEach(() => {
  statuses = [];
});

/** What the webhook was sent of a run. */
const notices = (folder: string): readonly RunNotice[] =>
  endpoint.received
    .map(({ body }) => JSON.parse(body) as RunNotice)
    .filter(({ run }) => folder.endsWith(run));
const untilTold = (folder: string, event: RunNotice['event']): Promise<RunNotice> =>
  eventually(() => Promise.resolve(notices(folder).find((each) => each.event === event) ?? null));

/** How often a run was in a state for as long as one must last that is told. */
async function settled(handle: RunHandle): Promise<number> {
  const events = (await handle.fetchHistory()).events ?? [];
  const timers = events.flatMap(({ timerStartedEventAttributes: started }) =>
    Number(started?.startToFireTimeout?.seconds ?? 0) === 5 ? [started?.timerId] : [],
  );
  return events.filter(
    ({ timerFiredEventAttributes: fired }) => fired && timers.includes(fired.timerId),
  ).length;
}

describe('the webhook of a run', () => {
  it('is sent its end, with progress and scores, once', async () => {
    const { start, folder } = runs.runOf(['a', 'b'], 2);
    await (await start()).result();
    const [notice, ...others] = notices(folder);
    expect(others).toEqual([]);
    expect(notice).toMatchObject({
      ...{ event: 'ended', reason: 'done', home: testHome },
      progress: { samples: 2, ended: 2, inFlight: 0 },
      score: [],
    });
    expect(runIdSchema.parse(notice?.run)).toBe(notice?.run);
    expect(Date.parse(notice?.at ?? '')).toBeGreaterThan(0);
    expect(endpoint.received.at(-1)).toMatchObject({
      path: '/hook?key=sk-1',
      headers: { 'content-type': 'application/json' },
    });
  });

  it('is sent that it waits, and again when it waits again', async () => {
    const run = runs.runOf(['a', 'b'], 1);
    for (const name of ['a', 'b']) run.holdFrom(2, name);
    const down = new PortFailure('ModelDeferred', 'every call fails', {
      ...{ reason: 'outage', outage: 'ModelUnavailable', retryAfterMs: 3_600_000 },
    });
    for (const name of ['a', 'b']) run.fail(name, down);
    const handle = await run.start();
    expect(await untilTold(run.folder, 'waiting')).toMatchObject({
      ...{ reason: 'every call fails', progress: { waiting: 1, ended: 0 } },
    });
    await handle.executeUpdate(resumeRunUpdate);
    await run.untilAsked('a', 2);
    // While its reply is held the run goes on, for longer than the shortest state that is told.
    await eventually(async () => ((await settled(handle)) === 2 ? true : null));
    run.release('a', 'b');
    await eventually(() =>
      Promise.resolve(notices(run.folder).length === 2 ? notices(run.folder) : null),
    );
    await handle.executeUpdate(resumeRunUpdate);
    await handle.result();
    expect(notices(run.folder).map(({ event }) => event)).toEqual(['waiting', 'waiting', 'ended']);
  });

  it('is sent that its budget is reached, and what was lacking', async () => {
    const run = runs.runOf(['a'], 1, [], { budget: { usd: null, tokens: 1 } });
    const handle = await run.start();
    const notice = await untilTold(run.folder, 'budget-reached');
    expect(notice).toMatchObject({
      progress: { heldBy: 'budget', parked: true, budget: { cap: { tokens: 1 } } },
    });
    expect(notice.reason).not.toBe('');
    await handle.executeUpdate(tuneRunUpdate, { args: [{ budgetTokens: null }] });
    await handle.result();
    expect(notices(run.folder).map(({ event }) => event)).toEqual(['budget-reached', 'ended']);
  });

  it('is sent that it is held for a person, and not what a person has done', async () => {
    const run = runs.runOf(['a'], 1);
    run.fail('a', new PortFailure('ModelDeferred', 'no credit left', { reason: 'quota' }));
    const handle = await run.start();
    expect(await untilTold(run.folder, 'held')).toMatchObject({
      ...{ reason: 'no credit left', progress: { heldBy: 'quota' } },
    });
    await handle.executeUpdate(pauseRunUpdate, { args: [{}] });
    await handle.executeUpdate(resumeRunUpdate);
    await handle.result();
    expect(notices(run.folder).map(({ event }) => event)).toEqual(['held', 'ended']);
  });

  it('is sent a notice again that it has not taken', async () => {
    statuses = [500, 302];
    const { start, folder } = runs.runOf(['a'], 1);
    await (await start()).result();
    expect(notices(folder).map(({ event }) => event)).toEqual(['ended', 'ended', 'ended']);
  });

  it('fails nothing where it takes none', async () => {
    statuses = [500, 500, 500, 500];
    const { start, folder, manifest } = runs.runOf(['a'], 1);
    expect(await (await start()).result()).toMatchObject({ outcomes: { answered: 1 } });
    expect(manifest().status).toBe('done');
    expect(notices(folder)).toHaveLength(3);
  });

  it('is sent that a run was cancelled', async () => {
    const { start, folder, untilAsked } = runs.runOf(['a', 'b'], 1, ['a']);
    const handle = await start();
    await untilAsked('a');
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow();
    expect(notices(folder)).toMatchObject([{ event: 'ended', reason: 'cancelled' }]);
  });
});
