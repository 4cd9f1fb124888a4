import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killService, servicesOf } from '../../bench/chaos/command-line.js';
import { readDataset } from '../../domain/runs/dataset.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import {
  checkout,
  eventually,
  jsonLines,
  newHome,
  turnwise,
  type Finished,
  type Running,
  untilReady,
} from '../support/command-line.js';

const examples = join(checkout, 'examples');
const dataset = join(examples, 'questions.jsonl');
const [oldKey, key] = [randomBytes(32).toString('hex'), randomBytes(32).toString('base64')];
const home = newHome();
let model: SimulatedModel;
let plain: Record<string, string>;
let settings: Record<string, string>;
let up: Running;

const command = (...args: readonly string[]): Promise<Finished> =>
  turnwise(args, settings).finished;

async function stop(): Promise<void> {
  up.child.kill('SIGINT');
  expect(await up.finished).toMatchObject({ status: 0 });
}

async function start(): Promise<void> {
  up = turnwise(['up'], settings);
  await untilReady(up);
}

beforeAll(async () => {
  model = await startSimulatedModel({ latencyMs: 500, script: join(examples, 'replies.json') });
  plain = { TURNWISE_HOME: home, OPENAI_BASE_URL: model.url };
  settings = { ...plain, TURNWISE_PAYLOAD_KEY: oldKey };
  await start();
  const ingested = await command('store', 'add', join(examples, 'papers'), '--store', 'papers');
  expect(ingested, ingested.stderr).toMatchObject({ status: 0 });
});
afterAll(async () => {
  await stop();
  await model.close();
});

const parsed = readDataset(readFileSync(dataset, 'utf8'));
const questions = parsed.kind === 'items' ? parsed.items.slice(0, 6) : [];

/** All that the server has stored. */
const stored = (): string =>
  ['temporal.db', 'temporal.db-wal']
    .map((file) => join(home, 'temporal', file))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');

describe('a home whose payloads are encrypted', () => {
  it('runs through kills and a change of the key, as another one does', async () => {
    const args = ['run', dataset, '--store', 'papers', '--run', 'hidden', '--limit', '6'];
    const begun = await command(...args, '--concurrency', '2', '--detach');
    expect(begun, begun.stderr).toMatchObject({ status: 0 });
    await eventually(() => (model.stats().received >= 4 ? true : null));
    await eventually(() => (killService(home, 'worker') ? true : null));
    await eventually(() => (model.stats().received >= 8 ? true : null));
    await stop();
    settings = { ...plain, TURNWISE_PAYLOAD_KEY: `${key},${oldKey}` };
    await start();
    const watched = await command('status', 'hidden', '--watch');
    expect(watched.stdout).toContain('6 of 6 questions answered\nmean score 1.000 over 6 scored');
    expect(jsonLines(join(home, 'runs/hidden/results.jsonl'))).toHaveLength(6);
  });

  it('says what failed in an activity and in a workflow', async () => {
    mkdirSync(join(home, 'bad/processed_data'), { recursive: true });
    writeFileSync(join(home, 'bad/bm25.json'), '{"version":"v2"}');
    writeFileSync(join(home, 'bad/processed_data/a.json'), '{}');
    const imported = await command('store', 'import', 'bad', '--store', 'bad');
    expect(imported).toMatchObject({ status: 2 });
    expect(imported.stderr).toContain('bm25.json is no fitted BM25 model');

    const args = ['run', dataset, '--store', 'papers', '--run', 'open', '--detach'];
    await command(...args, '--concurrency', '1', '--no-probe');
    const ended = join(home, 'runs/open/results.jsonl');
    const [first] = await eventually(() => {
      const lines = jsonLines(ended) as readonly { readonly uuid: string }[];
      return lines.length > 0 ? lines : null;
    });
    const refused = await command('cancel', 'open', first?.uuid ?? '');
    expect(refused.stderr).toContain('has ended already: answered');
  });

  it('keeps questions, answers and failures out of what Temporal stores', () => {
    const text = stored();
    // The names of workflows and search attributes can be read.
    for (const readable of ['hidden', 'open', 'runDatasetWorkflow', 'gpt-4o-mini'])
      expect(text).toContain(readable);
    for (const { question } of questions) expect(text).not.toContain(question.slice(0, 40));
    for (const words of ['RetrieveFrom', 'no fitted BM25 model', 'has ended already'])
      expect(text.includes(words), words).toBe(false);
  });

  it('shows its payloads in the UI by the codec server of the view', async () => {
    const view = turnwise(['view', '--no-open', '--json'], settings);
    const { codecUrl } = JSON.parse(await view.says(/\{.*\}\n/)) as Record<string, string>;
    const record = servicesOf(home);
    if (record?.kind !== 'ready') throw new Error('no services run');
    const connection = await Connection.connect({ address: record.temporalAddress });
    const { id } = JSON.parse(readFileSync(join(home, 'home.json'), 'utf8')) as { id: string };
    const [asked] = questions;
    const { workflowExecutionInfo } = await connection.workflowService.describeWorkflowExecution({
      namespace: 'default',
      execution: { workflowId: `${id}/run/hidden` },
    });
    expect(workflowExecutionInfo?.type?.name).toBe('runDatasetWorkflow');
    const { history } = await connection.workflowService.getWorkflowExecutionHistory({
      namespace: 'default',
      execution: { workflowId: `${id}/run/hidden/q/${asked?.uuid ?? ''}/e/1` },
    });
    const summary = history?.events?.[0]?.userMetadata?.summary;
    const base64 = (bytes: Uint8Array | null | undefined): string =>
      Buffer.from(bytes ?? []).toString('base64');
    const payload = {
      metadata: Object.fromEntries(
        Object.entries(summary?.metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)]),
      ),
      data: base64(summary?.data),
    };
    const answered = await fetch(`${String(codecUrl)}/decode`, {
      method: 'POST',
      headers: { Origin: record.uiAddress ?? '', 'X-Namespace': 'default' },
      body: JSON.stringify({ payloads: [payload] }),
    });
    const { payloads } = (await answered.json()) as { payloads: { data: string }[] };
    const text = Buffer.from(payloads[0]?.data ?? '', 'base64').toString();
    expect(text).toContain(asked?.question.slice(0, 60));
    await connection.close();
    view.child.kill('SIGINT');
    await view.finished;
  });

  it('tells a command, a worker and the doctor that do not know the key', async () => {
    const sentence =
      /turnwise: the workflows of this home are encrypted with key \w{8}: set TURNWISE_PAYLOAD_KEY to the key of its workers\n$/;
    const pause = await turnwise(['pause', 'open'], plain).finished;
    expect(pause).toMatchObject({ status: 2, stderr: expect.stringMatching(sentence) as unknown });

    const record = servicesOf(home);
    if (record?.kind !== 'ready') throw new Error('no services run');
    const address = { TEMPORAL_ADDRESS: record.temporalAddress };
    const worker = await turnwise(['worker'], { ...plain, ...address }).finished;
    expect(worker).toMatchObject({ status: 2, stderr: expect.stringMatching(sentence) as unknown });

    const doctor = await turnwise(['doctor'], plain).finished;
    expect(doctor.status).toBe(2);
    expect(doctor.stdout).toContain('set TURNWISE_PAYLOAD_KEY to the key of its workers');
    expect((await command('doctor')).status).toBe(0);
  });

  it('is not served without the key', async () => {
    await stop();
    const { status, stderr } = await turnwise(['up'], plain).finished;
    expect(stderr).toContain('set TURNWISE_PAYLOAD_KEY to the key of its workers');
    expect(status).toBe(2);
    await start();
  });
});
