import { mkdtempSync, mkdirSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { Client, Connection } from '@temporalio/client';
import getPort from 'get-port';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseUse, temporalDatabase } from '../../../storage/temporal-database.js';
import { homeAt, openHome } from '../../../worker/embedded/home.js';
import { createService, type Service } from '../../../worker/embedded/service.js';
import { shrinkDatabase } from '../../../worker/embedded/supervisor.js';
import { temporalServer } from '../../../worker/embedded/temporal-server.js';
import { temporalCli } from '../../support/temporal.js';

const never = new AbortController().signal;

describe('the database of the embedded server', () => {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-home-'));
  const path = temporalDatabase(home);
  let port: number;
  let server: Service;
  let client: Client;

  async function start(): Promise<void> {
    openHome(home);
    port = await getPort();
    const spec = temporalServer({
      executable: await temporalCli(),
      home: homeAt(home),
      namespace: 'default',
      port,
      uiPort: await getPort(),
      historyDays: 5,
    });
    const ignore = (): void => undefined;
    server = createService(spec, { onSpawned: ignore, onRestarted: ignore, onGivenUp: ignore });
    expect(await server.start()).toBeUndefined();
    client = new Client({ connection: await Connection.connect({ address: `127.0.0.1:${port}` }) });
  }
  async function stop(): Promise<void> {
    await client.connection.close();
    await server.stop(never);
  }
  const handle = () => client.workflow.getHandle('kept');

  beforeAll(async () => {
    await start();
    await client.workflow.start('w', { workflowId: 'kept', taskQueue: 'q', args: ['told'] });
    await stop();
    // As histories do that were deleted.
    const database = new sqlite.Database(path);
    database.all('PRAGMA locking_mode = EXCLUSIVE');
    database.exec('CREATE TABLE filler (data BLOB); BEGIN');
    for (let i = 0; i < 500; i += 1)
      database.exec('INSERT INTO filler VALUES (randomblob(100000))');
    database.exec('COMMIT; DELETE FROM filler WHERE rowid % 2 = 0; DROP TABLE filler');
    database.close();
  });
  afterAll(() => stop());

  it('gives free pages back, also after a kill in the midst of it, and the server goes on with it', async () => {
    const before = await databaseUse(path);
    expect(before?.freeBytes).toBeGreaterThan(40e6);
    mkdirSync(`${path}.lock`);
    const steps: string[] = [];
    await shrinkDatabase(path, { onStep: (step) => steps.push(step), signal: never });
    expect(steps).toEqual([
      expect.stringMatching(/^giving 5\d\.\d MB of Temporal's database back to the disk$/),
    ]);
    const after = await databaseUse(path);
    expect(after?.freeBytes).toBe(0);
    expect(after?.bytes).toBeLessThan(8e6);
    expect(existsSync(`${path}.lock`)).toBe(false);
    await start();
    const { status, type } = await handle().describe();
    expect([status.name, type]).toEqual(['RUNNING', 'w']);
    const [event] = (await handle().fetchHistory()).events ?? [];
    expect(event?.workflowExecutionStartedEventAttributes).toBeTruthy();
    await client.workflow.start('w', { workflowId: 'later', taskQueue: 'q' });
  });

  it('keeps histories for as long as the settings say', async () => {
    const { config } = await client.workflowService.describeNamespace({ namespace: 'default' });
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(5 * 86_400);
  });
});

it('stays as it is where little is free, where it is absent, and where it cannot shrink', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'turnwise-database-')), 'a.db');
  const steps: string[] = [];
  const options = { onStep: (step: string) => steps.push(step), signal: never };
  await shrinkDatabase(path, options);
  const database = new sqlite.Database(path);
  database.exec('CREATE TABLE t (data BLOB)');
  for (let i = 0; i < 50; i += 1) database.exec('INSERT INTO t VALUES (zeroblob(40000))');
  database.exec('DELETE FROM t');
  database.close();
  await shrinkDatabase(path, options);
  expect(steps).toEqual([]);
  await shrinkDatabase(path, { ...options, leastBytes: 1 });
  expect(steps[1]).toContain('stays as large as it is: Error: it was made without auto_vacuum');
});
