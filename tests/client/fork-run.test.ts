import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { planRun, prepareRun, writeRun, type RunRequest } from '../../client/prepare-run.js';
import { RunFolder } from '../../client/run-folder.js';
import { runIdSchema } from '../../domain/ids.js';
import { replyRecordSchema } from '../../domain/questions/turn-record.js';
import { datasetFile, replyFile, resultsFile, turnsFolder } from '../../domain/runs/run-layout.js';
import { exampleManifest } from '../support/example-manifest.js';
import {
  exampleEnd,
  exampleObservation,
  exampleReply,
  sampleKey,
} from '../support/example-records.js';
import { newHome } from '../support/command-line.js';
import { createFolderRunFiles } from '../../worker/adapters/folder-run-files.js';

vi.mock('../../client/versions.js', () => ({
  packageVersion: () => '9.9.9',
  gitRevision: () => null,
}));

const item = (uuid: string, question = `What is ${uuid}?`): object => ({ uuid, question });
const textOf = (items: readonly object[]): string =>
  items.map((one) => `${JSON.stringify(one)}\n`).join('');

/** A run of `a`, which has ended, `b`, which is under way, and `c`. */
async function begun(): Promise<RunRequest> {
  const { store, config, run } = exampleManifest();
  const request: RunRequest = {
    home: newHome(),
    run,
    dataset: { path: 'd.jsonl', text: textOf(['a', 'b', 'c'].map((uuid) => item(uuid))) },
    store: { ...store, papers: [] } as unknown as RunRequest['store'],
    config,
  };
  prepareRun(request);
  const runFiles = createFolderRunFiles(request.home);
  for (const uuid of ['a', 'b', 'c']) {
    const key = sampleKey(uuid);
    await runFiles.saveReply(run, key, exampleReply(1, null, { costUsd: 0.25, retries: 2 }));
    await runFiles.saveObservation(run, key, exampleObservation(1, `seen ${uuid}`));
  }
  const end = exampleEnd(sampleKey('a'));
  await runFiles.saveEnd(run, sampleKey('a'), end, []);
  await runFiles.publish(run, [end]);
  return request;
}

describe('a fork', () => {
  it('keeps the turns of questions that are as they were, unpaid, and leaves the first run alone', async () => {
    const request = await begun();
    const text = textOf([item('a'), item('b'), item('c', 'What else?'), item('d')]);
    const changed = { ...request, dataset: { path: 'd.jsonl', text } };
    expect(() => planRun(changed)).toThrow(/add --fork/);

    const forking = { ...changed, fork: true };
    const plan = planRun(forking);
    expect(plan.manifest).toMatchObject({ run: `${request.run}-fork-1`, forkedFrom: request.run });
    expect(plan.fork).toMatchObject({ kept: [sampleKey('a'), sampleKey('b')], ended: 1 });
    writeRun(plan, forking);

    const { folder } = plan;
    expect(readdirSync(join(folder.path, 'turns'))).toEqual(['a', 'b']);
    expect(readdirSync(join(folder.path, turnsFolder(sampleKey('a'))))).toEqual([
      '001.observation.json',
      '001.reply.json',
    ]);
    const reply = folder.readJson(replyFile(sampleKey('a'), 1), replyRecordSchema);
    expect(reply).toEqual(exampleReply(1, null, { costUsd: 0, cacheHit: true, retries: 0 }));
    expect(folder.read(datasetFile)).toBe(text);
    expect(folder.read(resultsFile)).toBeNull();
    const before = new RunFolder(request.home, request.run);
    expect(before.readJson(replyFile(sampleKey('a'), 1), replyRecordSchema)?.costUsd).toBe(0.25);
  });

  it('is continued by the same command, and forked again by another', async () => {
    const request = await begun();
    const other = (text: string): RunRequest => ({
      ...request,
      dataset: { path: 'd.jsonl', text },
      fork: true,
    });
    prepareRun(other(textOf([item('a')])));
    const again = planRun(other(textOf([item('a')])));
    expect([again.kind, again.manifest.run, again.fork]).toEqual([
      'continued',
      `${request.run}-fork-1`,
      null,
    ]);
    const second = planRun(other(textOf([item('a'), item('z')])));
    expect(second.manifest).toMatchObject({
      run: runIdSchema.parse(`${request.run}-fork-2`),
      forkedFrom: `${request.run}-fork-1`,
    });
  });

  it('is none where nothing differs, and keeps nothing where everything may', async () => {
    const request = await begun();
    expect(planRun({ ...request, fork: true })).toMatchObject({ kind: 'continued', fork: null });
    const config = { ...request.config, windowSize: 1 };
    expect(planRun({ ...request, config, fork: true }).fork?.kept).toEqual([]);
  });
});

it('a run that goes on with another program says so', async () => {
  const request = await begun();
  const path = join(new RunFolder(request.home, request.run).path, 'manifest.json');
  const manifest = readFileSync(path, 'utf8');
  const folder = new RunFolder(request.home, request.run);
  expect(planRun(request).notes).toEqual([]);
  folder.write('manifest.json', manifest.replace(/"turnwise": "[^"]*"/, '"turnwise": "0.0.1"'));
  expect(planRun(request).notes).toEqual([
    expect.stringMatching(/^the run was begun with turnwise 0\.0\.1 and goes on with 9\.9\.9$/),
  ]);
});
