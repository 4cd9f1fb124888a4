import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createFindOpenJudgements,
  createJudgeCase,
  type CaseRef,
} from '../../../activities/judging/judge-case.js';
import type { ModelPort } from '../../../activities/ports/model.js';
import { JudgementFiles } from '../../../client/runs/scoring/judge-panel.js';
import { noBills, worstCase } from '../../../domain/budget/amount.js';
import { judgedScore } from '../../../domain/scoring/judging/judged-score.js';
import {
  caseOfLine,
  judgingFile,
  type JudgingId,
} from '../../../domain/scoring/judging/judging-job.js';
import { createFolderStorage } from '../../../storage/folder-storage.js';
import { createJudgingFiles } from '../../../worker/adapters/files/job-files.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { FakeModel } from '../../support/fakes/fake-model.js';
import { leftBy, OutageAfterReply } from '../../support/fakes/outage.js';
import { saysTrue } from '../../support/runs/judged.js';
import { openKeys } from '../../support/model-calls/open-keys.js';
import { runActivity } from '../../support/run-activity.js';

const judge = { ...exampleManifest().config.model, price: { input: 1, output: 10 } };
const evaluator = (reference: string) => ({
  eval_func: 'eval_reference_answer_with_llm',
  eval_kwargs: { question: 'How many?', reference_answer: reference },
});
const clock = { now: () => '2026-01-01T00:00:00.000Z' };

/** Three answers before two judges, as a command leaves them for workers. */
async function jobInFolder(): Promise<{
  readonly home: string;
  readonly judging: JudgingId;
  readonly files: ReturnType<typeof createJudgingFiles>;
}> {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-judging-'));
  const judging = await new JudgementFiles(createFolderStorage(home)).writeJob({
    judging: {
      models: [
        { ...judge, name: 'one' },
        { ...judge, name: 'two' },
      ],
      combination: 'mean',
      tries: 2,
    },
    mode: 'default',
    cases: ['"20"', '20.0', '["a", 1]'].map((answer, index) => ({
      folder: `judgements/${index}`,
      answer,
      evaluator: evaluator('a score'),
    })),
  });
  return { home, judging, files: createJudgingFiles(createFolderStorage(home)) };
}

async function judgeCase(
  files: ReturnType<typeof createJudgingFiles>,
  model: ModelPort,
  ref: Omit<CaseRef, 'key'>,
  key?: string,
) {
  const find = createFindOpenJudgements({ judgingFiles: files });
  const keyOf = openKeys(() => runActivity(find, { judging: ref.judging, from: 0 }));
  const judge = createJudgeCase({ judgingFiles: files, model, clock, storeForMs: 0 });
  const asked = key ?? (await keyOf({ index: ref.index, member: ref.member }));
  return { key: asked, call: await runActivity(judge, { ...ref, key: asked }) };
}

describe('a job of answers to be judged', () => {
  it('has as many calls open as there are answers times judges, and says what each may cost', async () => {
    const { judging, files } = await jobInFolder();
    const find = createFindOpenJudgements({ judgingFiles: files });
    const { open, next } = await runActivity(find, { judging, from: 1 });
    expect(next).toBeNull();
    expect(open.map(({ index, member }) => [index, member])).toEqual([
      [1, 0],
      [1, 1],
      [2, 0],
      [2, 1],
    ]);
    expect(Math.min(...open.map(({ size }) => worstCase(size, noBills).tokens))).toBeGreaterThan(
      judge.maxTokens,
    );
  });

  it('shows the judge answers of any type as Python writes them', async () => {
    const { judging, files } = await jobInFolder();
    const model = new FakeModel(saysTrue, saysTrue);
    for (const index of [1, 2]) await judgeCase(files, model, { judging, index, member: 0 });
    const shown = model.requests.map(({ messages }) => JSON.stringify(messages[1]?.content));
    expect(shown[0]).toMatch(/>>>\\n20\.0\\n<<<end of answer/);
    expect(shown[1]).toContain(">>>\\n['a', 1]\\n<<<end of answer");
  });

  it('pays for a reply once, and is open no more for that judge', async () => {
    const { judging, files } = await jobInFolder();
    const model = new FakeModel(saysTrue);
    const ref = { judging, index: 0, member: 0 };
    const { call, key } = await judgeCase(files, model, ref);
    expect(call).toEqual({
      kind: 'made',
      spent: { usd: 0.0002, tokens: 110 },
      billed: 100,
      opened: [],
    });
    // A worker that was lost after it had stored the reply has told nobody what was spent.
    expect((await judgeCase(files, model, ref, key)).call).toEqual(call);
    expect(model.requests).toHaveLength(1);
    const find = createFindOpenJudgements({ judgingFiles: files });
    const { open } = await runActivity(find, { judging, from: 0 });
    expect(open.filter(({ index }) => index === 0)).toMatchObject([{ member: 1 }]);
  });

  it('pays for a reply once through an outage that is longer than its attempts', async () => {
    const { judging, files } = await jobInFolder();
    const outage = new OutageAfterReply(saysTrue);
    const { open } = await runActivity(createFindOpenJudgements({ judgingFiles: files }), {
      judging,
      from: 0,
    });
    const ports = { judgingFiles: outage.over(files), model: outage.model, clock, storeForMs: 0 };
    const ref = { judging, index: 0, member: 0, key: open[0]?.key ?? '' };
    const attempt = (heartbeatDetails?: unknown) =>
      runActivity(createJudgeCase(ports), ref, { heartbeatDetails });
    const paid: unknown = expect.objectContaining({ raw: saysTrue });
    const first = await leftBy(attempt());
    expect(first).toMatchObject({ failed: 1, paid });
    // Nothing can be read either.
    const second = await leftBy(attempt(first));
    expect(second).toMatchObject({ failed: 2, paid });
    outage.end();
    expect(await attempt(second)).toMatchObject({ kind: 'made' });
    expect(outage.calls).toBe(1);
  });

  it('says what the next call may cost after a reply that cannot be read', async () => {
    const { judging, files } = await jobInFolder();
    const model = new FakeModel('Well.');
    const { call } = await judgeCase(files, model, { judging, index: 0, member: 1 });
    expect(call).toMatchObject({
      kind: 'made',
      opened: [{ index: 0, member: 1, size: { kind: 'model', completion: judge.maxTokens } }],
    });
  });

  it.each([
    ['refused', 'judge-refused', ''],
    ['refused', 'judge-refused', 'I cannot help with that.'],
    ['filtered', 'judge-filtered', saysTrue],
    ['error', 'judge-unreadable', saysTrue],
    ['stop', 'judge-empty', ''],
    ['other', 'judge-empty', ' '],
    ['stop', 'judge-unreadable', 'Well.'],
  ] as const)(
    'ends where a judge gives for ever a reply that ends with %s: %s',
    async (finishReason, reason, content) => {
      const { judging, files } = await jobInFolder();
      let calls = 0;
      const model: ModelPort = {
        complete: () => {
          calls += 1;
          const tokens = { prompt: 100, completion: 10, cached: 0 };
          return Promise.resolve({ content, finishReason, model: 'odd', tokens });
        },
      };
      const find = createFindOpenJudgements({ judgingFiles: files });
      const ask = createJudgeCase({ judgingFiles: files, model, clock, storeForMs: 0 });
      for (let round = 0; round < 5; round += 1) {
        const { open } = await runActivity(find, { judging, from: 0 });
        for (const { index, member, key } of open)
          await runActivity(ask, { judging, index, member, key });
      }
      expect((await runActivity(find, { judging, from: 0 })).open).toEqual([]);
      expect(calls).toBe(2 * 3 * 2);
      const job = await files.job(judging);
      for (const line of job.cases) {
        const replies = await files.replies(line.folder);
        expect(replies).toHaveLength(4);
        const score = judgedScore(caseOfLine(line, job.mode), {
          config: job.judging,
          replies,
          failures: [null, null],
        });
        expect(score).toMatchObject({
          verdict: { kind: 'unscored', reason },
          judgeUsage: { calls: 4, promptTokens: 400 },
        });
      }
    },
  );

  it('is asked again where its stored reply is damaged, which is kept beside the new one', async () => {
    const { home, judging, files } = await jobInFolder();
    const ref = { judging, index: 0, member: 0 };
    const { key } = await judgeCase(files, new FakeModel(saysTrue), ref);
    const folder = join(home, 'judgements/0');
    const [name = ''] = readdirSync(folder);
    writeFileSync(join(folder, name), '{"request"');
    const told = new Promise<Error>((resolve) => process.once('warning', resolve));
    expect((await judgeCase(files, new FakeModel(saysTrue), ref, key)).call).toMatchObject({
      opened: [],
    });
    expect((await told).message).toContain(`${name} was damaged: its model was asked again`);
    expect(readFileSync(join(folder, `${name}.damaged`), 'utf8')).toBe('{"request"');
    expect(await files.replies('judgements/0')).toHaveLength(1);
  });

  it('cannot be judged where its file is damaged, and says so', async () => {
    const { home, judging, files } = await jobInFolder();
    writeFileSync(join(home, judgingFile(judging)), '{');
    const find = createFindOpenJudgements({ judgingFiles: files });
    await expect(runActivity(find, { judging, from: 0 })).rejects.toMatchObject({
      type: 'InvalidRun',
      nonRetryable: true,
    });
  });
});
