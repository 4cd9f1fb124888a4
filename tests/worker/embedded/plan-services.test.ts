import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { environmentSchema } from '../../../domain/settings.js';
import { openHome } from '../../../worker/embedded/home.js';
import { planServices, portWishes } from '../../../worker/embedded/supervisor.js';

const home = openHome(mkdtempSync(join(tmpdir(), 'turnwise-plan-')));
const engines = {
  temporal: { path: '/bin/temporal', source: 'on-path', version: 'Server 1' },
  milvus: { python: '/venv/bin/python', version: 'milvus-lite 3.2.2' },
} as const;
const ports = { temporal: 7001, ui: 7002, milvus: 7003 };
const planFor = (
  env: Record<string, string>,
  has: Partial<typeof engines> = engines,
): ReturnType<typeof planServices> =>
  planServices({
    environment: environmentSchema.parse(env),
    engines: { temporal: has.temporal, milvus: has.milvus },
    home,
    ports,
    workerScript: '/w.js',
  });

describe('planning the services', () => {
  it('keeps Temporal and Milvus on 127.0.0.1, with their state in the home', () => {
    const [temporal, milvus] = planFor({}).backing;
    const command = temporal?.args.join(' ');
    expect(command).toContain('--ip 127.0.0.1 --port 7001 --ui-port 7002');
    expect(command).toContain(join(home.path, 'temporal', 'temporal.db'));
    expect(command).toContain('--search-attribute TurnwiseRun=Keyword');
    expect(command).not.toContain('--namespace');
    expect(temporal?.env.GOGC).toBe('400');
    expect(milvus?.args.join(' ')).toContain(
      `--data-dir ${join(home.path, 'milvus')} --host 127.0.0.1 --port 7003`,
    );
  });

  it('registers a namespace of another name', () => {
    const [temporal] = planFor({ TEMPORAL_NAMESPACE: 'papers' }).backing;
    expect(temporal?.args.join(' ')).toContain('--namespace papers');
  });

  it('tells the worker where the services are', () => {
    const { worker, addresses } = planFor({});
    expect(worker(Promise.resolve()).env).toMatchObject({
      TURNWISE_HOME: home.path,
      TEMPORAL_ADDRESS: '127.0.0.1:7001',
      MILVUS_ADDRESS: '127.0.0.1:7003',
    });
    expect(addresses.uiAddress).toBe('http://127.0.0.1:7002');
  });

  it('starts nothing for what has an address', () => {
    const elsewhere = { TEMPORAL_ADDRESS: 'temporal.example:7233', MILVUS_ADDRESS: 'milvus:19530' };
    const plan = planFor(elsewhere, {});
    expect(plan.backing).toEqual([]);
    expect(plan.addresses).toEqual({
      temporalAddress: 'temporal.example:7233',
      uiAddress: null,
      milvusAddress: 'milvus:19530',
    });
    expect(plan.worker(Promise.resolve()).env).toMatchObject(elsewhere);
  });

  it('wishes for ports that are set, and else for those of the last time', () => {
    const environment = environmentSchema.parse({ TURNWISE_UI_PORT: '8233' });
    const former = {
      temporalAddress: '127.0.0.1:4001',
      uiAddress: 'http://127.0.0.1:4002',
      milvusAddress: 'milvus.example:19530',
    } as const;
    expect(portWishes(environment, former)).toEqual({
      temporal: { kind: 'any', former: 4001 },
      ui: { kind: 'set', port: 8233, variable: 'TURNWISE_UI_PORT' },
      milvus: { kind: 'any', former: undefined },
    });
  });
});
