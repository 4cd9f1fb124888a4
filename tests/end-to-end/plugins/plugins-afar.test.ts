import { cpSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { startObjectServer, type ObjectServer } from '../../../bench/servers/local-server.js';
import { runManifestSchema } from '../../../domain/runs/run-manifest.js';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import {
  checkout,
  jsonLines,
  newHome,
  turnwise,
  type Finished,
  type Running,
  untilReady,
} from '../../support/command-line.js';

/** The machine with the services and the worker. */
const there = newHome();
/** The machine with the plugin, where the commands are given. */
const here = newHome();
const own = join(here, 'own');
let server: ObjectServer;
let model: SimulatedModel;
let up: Running;
let settings: Record<string, string>;

beforeAll(async () => {
  server = await startObjectServer();
  Object.assign(process.env, server.environment);
  model = await startSimulatedModel({ script: join(checkout, 'examples/plugins/replies.json') });
  const shared = {
    ...server.environment,
    TURNWISE_STORAGE: `s3://${server.bucket}/plugins`,
    OPENAI_BASE_URL: model.url,
  };
  up = turnwise(['up'], { ...shared, TURNWISE_HOME: there });
  await untilReady(up);
  const { temporalAddress, milvusAddress } = z
    .object({ temporalAddress: z.string(), milvusAddress: z.string() })
    .parse(JSON.parse(readFileSync(join(there, 'services.json'), 'utf8')));
  settings = {
    ...shared,
    TURNWISE_HOME: here,
    TEMPORAL_ADDRESS: temporalAddress,
    MILVUS_ADDRESS: milvusAddress,
  };
  cpSync(join(checkout, 'examples/plugins'), own, { recursive: true });
});

afterAll(async () => {
  up.child.kill('SIGINT');
  await up.finished;
  await model.close();
  await server.stop();
});

it('a worker of another home loads plugins from the object store by their content hash', async () => {
  const command = (...args: readonly string[]): Promise<Finished> =>
    turnwise(args, settings, own).finished;
  const plugins = ['--plugin', 'glossary-method.ts', '--plugin', 'word-overlap.ts'];
  const method = ['--method', 'glossary_react', '--model', 'simulated'];
  const run = ['run', 'questions.jsonl', '--run', 'afar', ...method, ...plugins];
  const started = await command(...run, '--no-probe', '--detach');
  expect(started, started.stderr).toMatchObject({ status: 0 });
  // No machine has the files any more: what the worker has not loaded yet is in the object store alone.
  renameSync(join(own, 'word-overlap.ts'), join(own, 'gone.ts'));
  const ended = await command('status', 'afar', '--watch');
  expect(ended, ended.stderr).toMatchObject({ status: 0 });

  const out = join(here, 'exported');
  expect(await command('export', 'afar', '--out', out)).toMatchObject({ status: 0 });
  const scores = jsonLines(join(out, 'scores.jsonl'));
  expect(scores).toHaveLength(2);
  expect(scores).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ uuid: 'epoch', score: 1, scorer: 'word_overlap' }),
      expect.objectContaining({ uuid: 'turn', score: 0.8, scorer: 'word_overlap' }),
    ]),
  );
  const manifest = runManifestSchema.parse(
    JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')),
  );
  expect(manifest.config.plugins.map(({ path }) => path)).toEqual([
    'glossary-method.ts',
    'word-overlap.ts',
  ]);
  expect(existsSync(join(there, 'runs'))).toBe(false);
  expect(existsSync(join(here, 'runs'))).toBe(false);
});
