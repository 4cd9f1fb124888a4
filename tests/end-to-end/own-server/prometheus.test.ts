import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn, type ChildProcess } from 'node:child_process';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import getPort from 'get-port';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { endOf } from '../../../bench/servers/local-server.js';
import { obtainPrometheus } from '../../../bench/servers/built-programs.js';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import {
  checkout,
  eventually,
  newHome,
  turnwise,
  type Running,
} from '../../support/command-line.js';
import { startTemporal } from '../../support/temporal.js';

const home = newHome();
const examples = join(checkout, 'examples/database-qa');
const rules = readFileSync(join(checkout, 'examples/operation/alerts.yml'), 'utf8');
let temporal: TestWorkflowEnvironment;
let model: SimulatedModel;
let prometheus: ChildProcess;
let worker: Running;
let api: string;
let settings: Record<string, string>;

beforeAll(async () => {
  temporal = await startTemporal();
  model = await startSimulatedModel({ script: join(examples, 'replies.json') });
  const [metrics, port] = [await getPort(), await getPort()];
  settings = {
    TURNWISE_HOME: home,
    TEMPORAL_ADDRESS: temporal.address,
    OPENAI_BASE_URL: model.url,
  };
  worker = turnwise(['worker'], { ...settings, TURNWISE_METRICS: `127.0.0.1:${metrics}` });
  const folder = join(home, 'prometheus');
  mkdirSync(folder);
  // As shipped, but for how long something must be so.
  writeFileSync(join(folder, 'alerts.yml'), rules.replaceAll(/for: \S+/g, 'for: 1s'));
  writeFileSync(
    join(folder, 'prometheus.yml'),
    JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: ['alerts.yml'],
      scrape_configs: [
        { job_name: 'turnwise', static_configs: [{ targets: [`127.0.0.1:${metrics}`] }] },
      ],
    }),
  );
  api = `http://127.0.0.1:${port}/api/v1`;
  prometheus = spawn(
    await obtainPrometheus(),
    [
      ...[`--config.file=${join(folder, 'prometheus.yml')}`],
      ...[`--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=127.0.0.1:${port}`],
    ],
    { stdio: 'ignore' },
  );
});
afterAll(async () => {
  worker.child.kill('SIGTERM');
  await worker.finished;
  await endOf(prometheus, 'SIGTERM');
  await temporal.teardown();
  await model.close();
});

const alertsSchema = z.object({
  data: z.object({
    alerts: z.array(
      z.object({ labels: z.looseObject({ alertname: z.string() }), state: z.string() }),
    ),
  }),
});
const valuesSchema = z.object({
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }),
});

async function valueOf(query: string): Promise<number> {
  const response = await fetch(`${api}/query?query=${encodeURIComponent(query)}`);
  const { data } = valuesSchema.parse(await response.json());
  return Number(data.result[0]?.value[1] ?? NaN);
}

it('sees a run that is held, and what its calls came to', async () => {
  const run = ['run', join(examples, 'questions.jsonl'), '--method', 'sequential', '--run', 'held'];
  const started = await turnwise(
    [...run, '--model', 'large', '--budget-tokens', '20000', '--no-probe', '--detach'],
    settings,
  ).finished;
  expect(started.status, started.stderr).toBe(0);
  const firing = await eventually(async () => {
    const response = await fetch(`${api}/alerts`).catch(() => null);
    if (response === null) return null;
    const { alerts } = alertsSchema.parse(await response.json()).data;
    return alerts.find(({ state }) => state === 'firing') ?? null;
  });
  expect(firing.labels.alertname).toBe('RunHeld');
  const { completed } = model.stats();
  expect(await valueOf('sum(turnwise_model_calls_total{outcome="answered"})')).toBe(completed);
  expect(await valueOf('sum(turnwise_model_tokens_total)')).toBeGreaterThan(completed);
  expect(
    await valueOf('count(temporal_workflow_completed_total or temporal_request_total)'),
  ).toBeGreaterThan(0);
});

it('has a dashboard of metrics that there are', async () => {
  const dashboard = readFileSync(join(checkout, 'examples/operation/dashboard.json'), 'utf8');
  const named = new Set(dashboard.match(/\b(?:turnwise|temporal)_\w+/g));
  const response = await fetch(`${api}/label/__name__/values`);
  const { data } = z.object({ data: z.array(z.string()) }).parse(await response.json());
  // The cost needs a price, which the simulated model has none of.
  const missing = [...named].filter((name) => !data.includes(name) && !name.includes('cost'));
  expect(missing).toEqual([]);
});
