import { Worker } from '@temporalio/worker';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queryAccounts } from '../../client/runs/query-run.js';
import { accountLine } from '../../client/views/run-text.js';
import type { AccountsPort } from '../../activities/ports/accounts.js';
import { accountOf } from '../../worker/model-calls/rate-limit.js';
import { createTemporalAccounts } from '../../worker/adapters/temporal.js';
import { accountQuery } from '../../workflows/messages.js';
import { accountReport, unknownLimit } from '../support/fakes/account-report.js';
import { eventually } from '../support/command-line.js';
import { bundleWorkflows, startTemporal } from '../support/temporal.js';
import { inHome } from '../../domain/home.js';
import { keysForAll } from '../support/model-calls/keys-for-all.js';
import { atHome, testHome } from '../support/test-home.js';

const taskQueue = 'accounts';
let temporal: TestWorkflowEnvironment;
let accounts: AccountsPort;
let stop: () => Promise<void>;
beforeAll(async () => {
  // So early that an account of a few reports has several histories.
  temporal = await startTemporal('limit.historyCount.suggestContinueAsNew=40');
  accounts = createTemporalAccounts(temporal.client, { home: testHome, taskQueue });
  const worker = await Worker.create({
    connection: temporal.nativeConnection,
    taskQueue,
    workflowBundle: await bundleWorkflows(),
  });
  const working = worker.run();
  stop = async () => {
    worker.shutdown();
    await working;
    await temporal.teardown();
  };
});
afterAll(() => stop());

const baseUrl = 'http://127.0.0.1:1/v1';
const account = (model: string) =>
  accountOf(keysForAll({ apiKey: 'sk-secret', keyIsFor: baseUrl }), {
    api: 'chat',
    baseUrl,
    model,
  });
const requests = { ...unknownLimit, estimated: 600 };

describe("a provider account's workflow", () => {
  it('is started by the first report, and divides the limit among the workers', async () => {
    const one = account('shared');
    expect(await accounts.report(one, accountReport('a', { requests }))).toMatchObject({
      requests: { estimated: 600 },
    });
    expect(await accounts.report(one, accountReport('b'))).toMatchObject({
      requests: { estimated: 300 },
    });
    const handle = temporal.client.workflow.getHandle(inHome(testHome, one.workflowId));
    expect(await handle.query(accountQuery)).toMatchObject({
      workers: 2,
      requests: { estimated: 600 },
    });
  });

  it('passes on to all what the provider has asked of one', async () => {
    const one = account('paused');
    await accounts.report(one, accountReport('a', { pauseMs: 60_000 }));
    const { pauseMs } = await accounts.report(one, accountReport('b'));
    expect(pauseMs).toBeGreaterThan(0);
  });

  it('goes from history to history, and forgets nothing', async () => {
    const one = account('long');
    await accounts.report(one, accountReport('a', { requests }));
    const handle = temporal.client.workflow.getHandle(inHome(testHome, one.workflowId));
    const { runId } = await handle.describe();
    let known = unknownLimit;
    await eventually(async () => {
      const share = await accounts.report(one, accountReport('b', { requests: known }));
      known = { ...known, estimated: share.requests.estimated };
      return (await handle.describe()).runId === runId ? null : true;
    });
    expect(await handle.query(accountQuery)).toMatchObject({
      workers: 2,
      requests: { estimated: 600 },
    });
  });

  it('is found by whoever knows endpoint and model, and says in a line how the account stands', async () => {
    const model = "lab's/model*1";
    await accounts.report(account(model), accountReport('a', { requests }));
    const lines = await eventually(async () => {
      const found = await queryAccounts(atHome(temporal.client, taskQueue), {
        baseUrl,
        name: model,
      });
      return found.length > 0 ? found.map(accountLine) : null;
    });
    expect(lines).toEqual([
      `127.0.0.1:1, model ${model}: about 600 requests a minute, as refusals have shown · 300 calls a minute · 10 in flight · 40 waiting · 1 worker`,
    ]);
    expect(
      await queryAccounts(atHome(temporal.client, taskQueue), { baseUrl, name: 'lab' }),
    ).toEqual([]);
  });
});
