import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { forkedQuestions, type QuestionFilter } from '../../../client/runs/choose-samples.js';
import {
  planRun,
  prepareRun,
  requireRecorded,
  writeRun,
  type RunPlan,
  type RunRequest,
} from '../../../client/runs/prepare-run.js';
import { RunFolder } from '../../../client/runs/run-folder.js';
import { replyRecordSchema } from '../../../domain/agent/turn-record.js';
import { runIdSchema } from '../../../domain/ids.js';
import {
  datasetFile,
  replyFile,
  resultsFile,
  turnsFolder,
} from '../../../domain/runs/run-manifest.js';
import { openRunFiles } from '../../../storage/runs/run-files.js';
import { newHome } from '../../support/command-line.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import {
  exampleEnd,
  exampleJudgeReply,
  exampleObservation,
  exampleReply,
  sampleKey,
} from '../../support/runs/example-records.js';

vi.mock('../../../client/services/programs.js', async (original) => ({
  ...(await original<object>()),
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
  await prepareRun(request);
  const runFiles = openRunFiles(request.home);
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
    await expect(planRun(changed)).rejects.toThrow(/add --fork/);

    const forking = { ...changed, fork: true };
    const plan = await planRun(forking);
    expect(plan.manifest).toMatchObject({ run: `${request.run}-fork-1`, forkedFrom: request.run });
    expect(plan.fork).toMatchObject({
      kept: [sampleKey('a'), sampleKey('b')],
      ended: [{ uuid: 'a' }],
    });
    await writeRun(plan, forking);

    const { folder } = plan;
    expect(readdirSync(join(folder.path, 'turns'))).toEqual(['a', 'b']);
    expect(readdirSync(join(folder.path, turnsFolder(sampleKey('a'))))).toEqual([
      '001.observation.json',
      '001.reply.json',
    ]);
    const reply = await folder.readJson(replyFile(sampleKey('a'), 1), replyRecordSchema);
    expect(reply).toEqual(exampleReply(1, null, { costUsd: 0, cacheHit: true, retries: 0 }));
    expect(await folder.read(datasetFile)).toBe(text);
    expect(await folder.read(resultsFile)).toBeNull();
    const before = new RunFolder(request.home, request.run);
    expect((await before.turn(sampleKey('a'), 1))?.reply.costUsd).toBe(0.25);
  });

  it('has other judges of the same conversations, and keeps what was judged, unpaid', async () => {
    const request = await begun();
    const said = exampleJudgeReply('0', 1);
    const runFiles = openRunFiles(request.home);
    await runFiles.saveJudgeReply(request.run, sampleKey('a'), said);
    const judging = { models: [request.config.model], combination: 'majority', tries: 3 } as const;
    const changed = { ...request, config: { ...request.config, judging } };
    await expect(planRun(changed)).rejects.toThrow(/judg/);
    const forking = { ...changed, fork: true };
    const plan = await planRun(forking);
    expect(plan.fork?.kept).toHaveLength(3);
    await writeRun(plan, forking);
    const kept = await runFiles.judgeReplies(plan.manifest.run, sampleKey('a'));
    expect(kept).toEqual([{ ...said, costUsd: 0, cacheHit: true }]);
  });

  it('keeps nothing where agents are told other texts, which are kept with their version', async () => {
    const request = await begun();
    const prompts = { 'note.last-turn': 'Answer now.' };
    const told = { ...request, config: { ...request.config, prompts } };
    await expect(planRun(told)).rejects.toThrow(
      /prompts: was \d+, is \d+-[0-9a-f]{8}; changed texts: was none, is note\.last-turn/,
    );
    const { fork, manifest } = await planRun({ ...told, fork: true });
    expect(fork?.kept).toEqual([]);
    expect(manifest.config.prompts).toEqual(prompts);
    expect(manifest.versions.prompts).toMatch(/^\d+-[0-9a-f]{8}$/);
  });

  it('is continued by the same command, and forked again by another', async () => {
    const request = await begun();
    const other = (text: string): RunRequest => ({
      ...request,
      dataset: { path: 'd.jsonl', text },
      fork: true,
    });
    await prepareRun(other(textOf([item('a')])));
    const again = await planRun(other(textOf([item('a')])));
    expect([again.kind, again.manifest.run, again.fork]).toEqual([
      'continued',
      `${request.run}-fork-1`,
      null,
    ]);
    const second = await planRun(other(textOf([item('a'), item('z')])));
    expect(second.manifest).toMatchObject({
      run: runIdSchema.parse(`${request.run}-fork-2`),
      forkedFrom: `${request.run}-fork-1`,
    });
  });

  it('is none where nothing differs, and keeps nothing where everything may', async () => {
    const request = await begun();
    expect(await planRun({ ...request, fork: true })).toMatchObject({
      kind: 'continued',
      fork: null,
    });
    const config = { ...request.config, windowSize: 1 };
    expect((await planRun({ ...request, config, fork: true })).fork?.kept).toEqual([]);
  });
});

describe('a fork from a turn', () => {
  const another = async (fromTurn: number): Promise<[RunRequest, RunPlan]> => {
    const request = await begun();
    const { home, run, config } = request;
    const folder = new RunFolder(home, run);
    await openRunFiles(home).saveReply(run, sampleKey('b'), exampleReply(2, null));
    const asking = {
      ...request,
      run: runIdSchema.parse('again'),
      dataset: { path: 'd.jsonl', text: await forkedQuestions(folder, { question: [b] }) },
      config: { ...config, model: { ...config.model, name: 'another' } },
    };
    return [asking, await planRun(asking, { folder, fromTurn })];
  };
  const { uuid: b } = sampleKey('b');

  it('keeps the turns before it, whatever has changed, and none after it', async () => {
    const [request, plan] = await another(2);
    expect(plan.fork).toMatchObject({ kept: [sampleKey('b')], ended: [], fromTurn: 2 });
    expect(plan.manifest).toMatchObject({ forkedFrom: 'a-run', fromTurn: 2 });
    await writeRun(plan, request);
    expect(readdirSync(join(plan.folder.path, turnsFolder(sampleKey('b'))))).toEqual([
      '001.observation.json',
      '001.reply.json',
    ]);
  });

  it('is continued by the same command, and by no other turn', async () => {
    const [request, plan] = await another(2);
    await writeRun(plan, request);
    const folder = new RunFolder(request.home, runIdSchema.parse('a-run'));
    expect((await planRun(request, { folder, fromTurn: 2 })).kind).toBe('continued');
    await expect(planRun(request, { folder, fromTurn: 1 })).rejects.toThrow(
      /first turn asked anew: was 2, is 1/,
    );
    await expect(planRun(request)).rejects.toThrow(/first turn asked anew: was 2, is none/);
  });

  it('takes the questions that are meant, and says where there are none', async () => {
    const request = await begun();
    const folder = new RunFolder(request.home, request.run);
    const uuids = async (filter: QuestionFilter): Promise<unknown> =>
      (await forkedQuestions(folder, filter))
        .split('\n')
        .map((line) => (JSON.parse(line) as { uuid: string }).uuid);
    expect(await uuids({})).toEqual(['a', 'b', 'c']);
    expect(await uuids({ outcome: ['answered'] })).toEqual(['a']);
    expect(await uuids({ where: [{ field: 'question', value: 'What is c?' }] })).toEqual(['c']);
    await expect(uuids({ where: [{ field: 'tags', value: 'x' }] })).rejects.toThrow(
      /no such questions/,
    );
    const { uuid: stranger } = sampleKey('z');
    await expect(uuids({ question: [stranger] })).rejects.toThrow(/has no question z/);
  });
});

it('repeats no reply that was never given', async () => {
  const request = await begun();
  const replayed = new RunFolder(request.home, request.run);
  const text = textOf([item('a'), item('z')]);
  const plan = (changes: Partial<RunRequest>): Promise<RunPlan> =>
    planRun({ ...request, run: runIdSchema.parse('replay'), ...changes });
  await requireRecorded(replayed, await plan({}));
  await expect(
    requireRecorded(replayed, await plan({ dataset: { path: 'd', text } })),
  ).rejects.toThrow(/holds no question z/);
  const { config } = request;
  await expect(
    requireRecorded(replayed, await plan({ config: { ...config, epochs: 2 } })),
  ).rejects.toThrow(/give --epochs 1 or less/);
  const method = 'trivial_title_with_abstract';
  await expect(
    requireRecorded(replayed, await plan({ config: { ...config, method } })),
  ).rejects.toThrow(/give --method hybrid_react/);
});

it('a run that goes on with another program says so', async () => {
  const request = await begun();
  const path = join(new RunFolder(request.home, request.run).path, 'manifest.json');
  const manifest = readFileSync(path, 'utf8');
  const folder = new RunFolder(request.home, request.run);
  expect((await planRun(request)).notes).toEqual([]);
  await folder.write(
    'manifest.json',
    manifest.replace(/"turnwise": "[^"]*"/, '"turnwise": "0.0.1"'),
  );
  expect((await planRun(request)).notes).toEqual([
    expect.stringMatching(/^the run was begun with turnwise 0\.0\.1 and goes on with 9\.9\.9$/),
  ]);
});
