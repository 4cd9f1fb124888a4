import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { launchRun } from '../../../client/commands/shared/launch-run.js';
import { executeRun } from '../../../client/runs/execute-run.js';
import { planRun, prepareRun, type RunRequest } from '../../../client/runs/prepare-run.js';
import { loadEnvironment } from '../../../client/services/environment.js';
import { manifestFile } from '../../../domain/runs/run-manifest.js';
import { addEnded, noTotals } from '../../../domain/runs/run-totals.js';
import { newHome } from '../../support/command-line.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { exampleEnd, sampleKey } from '../../support/runs/example-records.js';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** A run of one question that has ended, as its worker leaves it. */
async function endedRun() {
  const { store, config, run } = exampleManifest();
  const request: RunRequest = {
    home: newHome(),
    run,
    dataset: { path: 'd.jsonl', text: '{"uuid": "a", "question": "What?"}\n' },
    store: { ...store, papers: [] } as unknown as RunRequest['store'],
    config,
    tuning: { concurrency: 3 },
  };
  const { folder, manifest } = await prepareRun(request);
  const end = exampleEnd(sampleKey('a'));
  await folder.store('results', (files) => files.publish(run, [end]));
  const { outcome, turns, usage } = end.result;
  const cost = { usd: 0, unpricedCalls: 0 };
  const totals = addEnded(noTotals, { outcome: outcome.kind, turns, usage, cost, score: null });
  const endedAt = '2026-01-01T00:00:05.000Z';
  const done = { ...manifest, status: 'done' as const, endedAt, totals };
  await folder.write(manifestFile, JSON.stringify(done));
  return { request, folder, done };
}

const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json') || name.endsWith('.jsonl'))
    .map((name) => `${name} ${readFileSync(join(folder, name), 'utf8')}`);

it('is neither written to nor asked again', async () => {
  const { request, folder, done } = await endedRun();
  const before = filesOf(folder.path);
  expect(await prepareRun(request)).toMatchObject({ kind: 'ended', manifest: done });
  expect(filesOf(folder.path)).toEqual(before);
  // No client is asked.
  const watcher = { onProgress: () => undefined, onSilence: () => undefined };
  const session = {} as Parameters<typeof executeRun>[0];
  expect(await executeRun(session, loadEnvironment(), done, watcher)).toEqual({
    kind: 'done',
    totals: done.totals,
  });
});

it('is printed without services', async () => {
  const { request, folder, done } = await endedRun();
  vi.stubEnv('TURNWISE_HOME', request.home);
  const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const before = filesOf(folder.path);
  const flags = { probe: true, yes: true, json: true } as Parameters<typeof launchRun>[3];
  await launchRun(await planRun(request), request, loadEnvironment(), flags);
  expect(JSON.parse(String(printed.mock.lastCall?.[0]))).toMatchObject({ totals: done.totals });
  expect(filesOf(folder.path)).toEqual(before);
});

it.each([
  ['results.jsonl', ''],
  ['results.jsonl', 'no JSON\n'],
  ['results.jsonl', '{"uuid": "a", "epoch": 1}\n'],
  ['scores.jsonl', ''],
])('goes on where its %s is %j', async (file, text) => {
  const { request, folder } = await endedRun();
  await folder.write(file, text);
  expect((await planRun(request)).kind).toBe('continued');
});
