import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Connection } from '@temporalio/client';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { searchAttributes } from '../../../domain/ids.js';
import type { RecordedService, ServiceName } from '../../../domain/services.js';
import { milvusVersion } from '../../../worker/embedded/milvus-lite.js';
import { isAlive, systemProcessTable, readServicesFile } from '../../../storage/services.js';
import { embeddedServer } from '../../../temporal/server-settings.js';
import { inspectServer } from '../../../worker/embedded/temporal-server.js';
import { compiledEntry } from '../../support/commands/compiled-entry.js';
import { startSupervised, type Supervised } from '../../support/fakes/supervised.js';

describe('the supervisor', () => {
  const { entry, remove } = compiledEntry('worker/supervise.ts');
  const program = fileURLToPath(entry);
  let home: string;
  let started: Supervised[];

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'turnwise-home-'));
    started = [];
  });
  afterEach(async () => {
    for (const { child } of started) if (child.connected) child.disconnect();
    await Promise.all(started.map(({ ended }) => ended));
  });

  afterAll(remove);

  function start(env: Readonly<Record<string, string>> = {}): Supervised {
    const supervised = startSupervised(program, { TURNWISE_HOME: home, ...env });
    started.push(supervised);
    return supervised;
  }

  function recorded(name: ServiceName): RecordedService {
    const service = readServicesFile(join(home, 'services.json'))?.services.find(
      (candidate) => candidate.name === name,
    );
    if (!service) throw new Error(`${name} is not on record`);
    return service;
  }

  const lives = (service: RecordedService): boolean => isAlive(service, systemProcessTable);

  async function everythingAnswers(addresses: {
    readonly temporalAddress: string;
    readonly milvusAddress: string;
  }): Promise<void> {
    const { temporalAddress, milvusAddress } = addresses;
    expect(await inspectServer(embeddedServer(temporalAddress, 'default'))).toMatchObject({
      version: expect.stringMatching(/^1\./) as unknown,
      namespace: { name: 'default', attributes: { missing: [], otherType: [] } },
    });
    expect(await milvusVersion({ address: milvusAddress })).toContain('milvus_lite');
  }

  it('serves, brings back what dies at the same port, and refuses a second supervisor', async () => {
    const supervised = start();
    const ready = await supervised.next('ready');
    await everythingAnswers(ready);
    const connection = await Connection.connect({ address: ready.temporalAddress });
    const { customAttributes } = await connection.operatorService.listSearchAttributes({
      namespace: 'default',
    });
    await connection.close();
    expect(Object.keys(customAttributes)).toEqual(
      expect.arrayContaining(Object.values(searchAttributes)),
    );

    for (const name of ['milvus', 'temporal', 'worker'] as const) {
      const before = recorded(name);
      process.kill(before.pid, 'SIGKILL');
      expect(await supervised.next('restarted')).toEqual({
        kind: 'restarted',
        service: name,
        reason: 'it was ended by SIGKILL',
      });
      expect(recorded(name).pid).not.toBe(before.pid);
      await everythingAnswers(ready);
    }

    const second = start();
    expect(await second.next('occupied')).toMatchObject({ supervisorPid: supervised.child.pid });
    expect(await second.ended).toBe(2);
    await everythingAnswers(ready);
  });

  it('stops the orphans of a supervisor that was killed, and takes up their ports', async () => {
    const first = start();
    const before = await first.next('ready');
    const orphans = [recorded('temporal'), recorded('milvus')];
    first.child.kill('SIGKILL');
    await first.ended;
    expect(orphans.map(lives)).toEqual([true, true]);

    const second = start();
    const after = await second.next('ready');
    expect(orphans.map(lives)).toEqual([false, false]);
    expect(after).toEqual(before);
    await everythingAnswers(after);
    for (const { name, pid } of orphans) {
      expect(second.said).toContainEqual({
        kind: 'step',
        text: `stopping ${name} (pid ${pid}), left running by a supervisor that died`,
      });
    }
  });

  it('stops everything in order when its parent goes away', async () => {
    const supervised = start();
    await supervised.next('ready');
    const services = [recorded('worker'), recorded('milvus'), recorded('temporal')];
    supervised.child.disconnect();
    expect(await supervised.ended).toBe(0);
    expect(services.map(lives)).toEqual([false, false, false]);
    expect(existsSync(join(home, 'services.json'))).toBe(false);
    const log = readFileSync(join(home, 'logs', 'supervisor.log'), 'utf8');
    expect([...log.matchAll(/stopping (\w+)/g)].map(([, name]) => name)).toEqual([
      'worker',
      'milvus',
      'temporal',
    ]);
  });

  describe('with Temporal and Milvus elsewhere', () => {
    const elsewhere = { TEMPORAL_ADDRESS: '127.0.0.1:1', MILVUS_ADDRESS: '127.0.0.1:2' };

    it('starts the worker alone', async () => {
      const supervised = start(elsewhere);
      expect(await supervised.next('ready')).toEqual({
        kind: 'ready',
        temporalAddress: '127.0.0.1:1',
        uiAddress: null,
        milvusAddress: '127.0.0.1:2',
      });
      const { services } = readServicesFile(join(home, 'services.json')) ?? {};
      expect(services?.map(({ name }) => name)).toEqual(['worker']);
    });

    it('says in one sentence why a worker could not be started, and where its log is', async () => {
      const supervised = start({ ...elsewhere, FAKE_WORKER: 'dies-at-start' });
      expect(await supervised.next('failed')).toEqual({
        kind: 'failed',
        exitStatus: 3,
        message:
          'The worker service could not be started: it ended with status 1; another program took its port ' +
          `in the meantime. Its log: ${join(home, 'logs', 'worker.log')}`,
      });
      expect(await supervised.ended).toBe(3);
      expect(existsSync(join(home, 'services.json'))).toBe(false);
    });

    it('gives up a worker that dies again and again', async () => {
      const supervised = start({ ...elsewhere, FAKE_WORKER: 'dies-when-ready' });
      await supervised.next('ready');
      const { message } = await supervised.next('failed');
      expect(message).toContain('The worker service died again and again and was given up');
      expect(await supervised.ended).toBe(3);
    });

    it('waits for a supervisor that is stopping instead of refusing', async () => {
      const first = start(elsewhere);
      await first.next('ready');
      first.child.disconnect();
      await start(elsewhere).next('ready');
      expect(await first.ended).toBe(0);
    });

    it('lets one of two that start at once serve, and the other refuse', async () => {
      const both = [start(elsewhere), start(elsewhere)];
      const outcomes = await Promise.all(
        both.map(({ next }) =>
          Promise.race([next('ready'), next('occupied')]).then(({ kind }) => kind),
        ),
      );
      expect(outcomes.toSorted()).toEqual(['occupied', 'ready']);
    });
  });

  it('refuses a home that cannot be written to', async () => {
    const file = join(home, 'a-file');
    writeFileSync(file, '');
    const supervised = start({ TURNWISE_HOME: join(file, 'home') });
    const { message, exitStatus } = await supervised.next('failed');
    expect(exitStatus).toBe(2);
    expect(message).toBe(
      `The folder ${join(file, 'home')} cannot be written to: make it writable, or set TURNWISE_HOME to one that is.`,
    );
    expect(await supervised.ended).toBe(2);
  });

  it('names a port that is taken before anything is started', async () => {
    const occupant = createServer();
    await new Promise<void>((listening) => occupant.listen(0, '127.0.0.1', listening));
    const address = occupant.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const supervised = start({ TURNWISE_MILVUS_PORT: String(port) });
    const { message } = await supervised.next('failed');
    expect(message).toContain(`Port ${port}, set by TURNWISE_MILVUS_PORT, is taken`);
    expect(supervised.said.filter(({ kind }) => kind === 'step')).toEqual([]);
    await new Promise((closed) => occupant.close(closed));
  });
});
