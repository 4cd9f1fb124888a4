import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runManifestSchema, type RunManifest } from '../../domain/runs/run-manifest.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import {
  checkout,
  newHome,
  turnwise,
  type Finished,
  type Running,
  untilReady,
} from '../support/command-line.js';
import { startHttpEndpoint, type HttpEndpoint } from '../support/fakes/http-endpoint.js';

const home = newHome();
const settings = { TURNWISE_HOME: home };
const examples = join(checkout, 'examples');
let model: SimulatedModel;
let up: Running;

beforeAll(async () => {
  model = await startSimulatedModel({ script: join(examples, 'replies.json') });
  up = turnwise(['up'], settings);
  await untilReady(up);
  writeFileSync(join(home, 'turnwise.yaml'), 'prices:\n  priced: { input: 1, output: 2 }\n');
  const papers = join(examples, 'papers');
  const ingested = await turnwise(['store', 'add', papers, '--store', 'papers'], settings).finished;
  expect(ingested).toMatchObject({ status: 0 });
});

afterAll(async () => {
  up.child.kill('SIGINT');
  await up.finished;
  await model.close();
});

function run(id: string, url: string, ...more: readonly string[]): Promise<Finished> {
  const dataset = join(examples, 'questions.jsonl');
  const args = ['run', dataset, '--store', 'papers', '--limit', '2', '--run', id, '--model'];
  return turnwise([...args, 'priced', ...more], { ...settings, OPENAI_BASE_URL: url }).finished;
}

const manifestOf = (id: string): RunManifest =>
  runManifestSchema.parse(
    JSON.parse(readFileSync(join(home, 'runs', id, 'manifest.json'), 'utf8')),
  );

/** Refuses every call, until it hands on to the simulated model. */
async function refusing(status: number, error: object): Promise<HttpEndpoint & { mend(): void }> {
  let isMended = false;
  const endpoint = await startHttpEndpoint((response, { body, path }) => {
    const json = { 'content-type': 'application/json' };
    if (!isMended) {
      response.writeHead(status, json).end(JSON.stringify({ error }));
      return;
    }
    const url = new URL(path, model.url);
    void fetch(url, { method: 'POST', body, headers: json }).then(async (reply) =>
      response.writeHead(reply.status, json).end(await reply.text()),
    );
  });
  return Object.assign(endpoint, { mend: () => void (isMended = true) });
}

it('asks no question where a scorer of the user gives no score, and tries it at the worker', async () => {
  const before = model.stats().received;
  const program = 'echo no such key >&2; exit 3';
  const refused = await run('broken', model.url, '--scorer-program', program);
  expect(refused.status, refused.stderr).toBe(2);
  expect(refused.stderr).toMatch(/the scorer gives no score for the gold answer, .*no such key/s);
  expect(refused.stderr).toContain('the same command starts run broken');
  expect(model.stats().received).toBe(before);
  expect(existsSync(join(home, 'runs/broken'))).toBe(false);

  const scored = await run(
    'mended',
    model.url,
    '--scorer-program',
    'while read line; do echo 0.5; done',
  );
  expect(scored.status, scored.stderr).toBe(0);
});

it.each<[string, number, object, number, RegExp]>([
  ['a-key', 401, { message: 'no' }, 2, /wants an API key .* none is configured/],
  ['no-model', 404, { message: 'no' }, 2, /knows no such model or address .* check the model's/],
  ['bad-setting', 400, { message: 'temperature' }, 2, /check that the model takes these settings/],
  ['down', 503, { message: 'down' }, 3, /cannot answer now \(503/],
])('asks no question where the endpoint refuses: %s', async (id, status, error, exit, why) => {
  const endpoint = await refusing(status, error);
  const url = `${endpoint.url}/v1`;
  const refused = await run(id, url);
  expect(refused.status, refused.stderr).toBe(exit);
  expect(refused.stderr).toMatch(why);
  expect(refused.stderr).toMatch(/Nothing was asked: .*the same command starts run .*--no-probe/);
  expect(endpoint.received.every(({ body }) => body.includes('Reply with OK.'))).toBe(true);
  expect(existsSync(join(home, 'runs', id))).toBe(false);

  endpoint.mend();
  const mended = await run(id, url);
  await endpoint.close();
  expect(mended, mended.stderr).toMatchObject({ status: 0 });
  expect(mended.stderr).toMatch(/^probe: priced answered in \d+\.\d s \(\$0\.0000\d+\)$/m);
  expect(mended.stdout).toContain('2 of 2 questions answered');
});

it('names the remedy where the command has a key that the worker lacks', async () => {
  const endpoint = await refusing(401, { message: 'no' });
  const args = ['run', join(examples, 'questions.jsonl'), '--store', 'papers', '--run', 'key'];
  const refused = await turnwise(args, {
    ...{ ...settings, OPENAI_BASE_URL: `${endpoint.url}/v1`, OPENAI_API_KEY: 'sk-of-the-command' },
  }).finished;
  await endpoint.close();
  expect(refused.status).toBe(2);
  expect(refused.stderr).toMatch(/the worker was started without it: stop `turnwise up`/);
});

it('asks no question where nothing listens', async () => {
  const closed = await startHttpEndpoint(() => undefined);
  await closed.close();
  const refused = await run('closed', `${closed.url}/v1`);
  expect(refused.status, refused.stderr).toBe(3);
  expect(refused.stderr).toMatch(/cannot be reached .*Nothing was asked/);
  expect(existsSync(join(home, 'runs/closed'))).toBe(false);
});

it('counts in the budget of the run, and is left out where somebody wishes it', async () => {
  const before = model.stats();
  const first = await run('counted', model.url, '--budget-tokens', '100000');
  expect(first, first.stderr).toMatchObject({ status: 0 });
  expect(model.stats().probes - before.probes).toBe(1);
  const { probes } = manifestOf('counted');
  expect(probes).toMatchObject({ calls: 1, costUsd: expect.any(Number) as unknown });
  // Nothing is left to ask: no probe either.
  expect(await run('counted', model.url)).toMatchObject({ status: 0 });
  expect(manifestOf('counted').probes).toEqual(probes);
  expect(model.stats().probes - before.probes).toBe(1);

  const without = await run('without', model.url, '--no-probe');
  expect(without, without.stderr).toMatchObject({ status: 0 });
  expect(without.stderr).not.toContain('probe');
  expect(manifestOf('without').probes.calls).toBe(0);
  expect(model.stats().probes - before.probes).toBe(1);
});

it('makes no probe that the budget does not cover', async () => {
  const before = model.stats().received;
  const poor = await run('poor', model.url, '--budget-tokens', '20');
  expect(poor.stderr).toMatch(/probe: priced could not be tried, and the run starts all the same/);
  expect(model.stats().received).toBe(before);
});
