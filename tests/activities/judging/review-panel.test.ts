import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createFindOpenReviews,
  createReviewPanel,
  createWriteReview,
} from '../../../activities/judging/review-panel.js';
import type { ModelPort } from '../../../activities/ports/model.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { noBills, worstCase } from '../../../domain/budget/amount.js';
import { contentText } from '../../../domain/models/chat-message.js';
import { panelsFile } from '../../../domain/runs/run-manifest.js';
import { readDelimited } from '../../../domain/scoring/delimited-sections.js';
import {
  reviewedPanelSchema,
  reviewFile,
  reviewRecordSchema,
  type ReviewConfig,
} from '../../../domain/scoring/review/panel.js';
import { createFolderStorage } from '../../../storage/folder-storage.js';
import { createJudgingFiles } from '../../../worker/adapters/files/job-files.js';
import { createDatabases } from '../../../worker/adapters/files/stores.js';
import { FakeModel } from '../../support/fakes/fake-model.js';
import { leftBy, OutageAfterReply } from '../../support/fakes/outage.js';
import { openKeys } from '../../support/model-calls/open-keys.js';
import { runActivity } from '../../support/run-activity.js';
import {
  answeredRun,
  plannedReview,
  reviewConfig,
  saysImperfect,
  saysPerfect,
  withoutInteraction,
} from '../../support/runs/reviewed.js';
import { sampleKey } from '../../support/runs/example-records.js';
import { placeAt } from '../../support/stores/place-at.js';

/** A review of a run whose questions are answered. */
async function reviewed(
  uuids: readonly string[],
  config: ReviewConfig = reviewConfig('a,b|c'),
  options: Parameters<typeof answeredRun>[1] = {},
) {
  const inFolder = await answeredRun(uuids, options);
  const { home, runFiles } = inFolder;
  const ref = await plannedReview(inFolder, config);
  const ports = {
    runFiles,
    judgingFiles: createJudgingFiles(createFolderStorage(home)),
    databases: createDatabases(placeAt(home).generations, placeAt(home).imported),
    clock: { now: () => '2026-01-01T00:00:00.000Z' },
    storeForMs: 0,
  };
  const find = (from = 0) => runActivity(createFindOpenReviews(ports), { ...ref, from });
  const keyOf = openKeys(find);
  const ask = async (model: ModelPort, index: number, member: number) => {
    const key = await keyOf({ index, member });
    return runActivity(createReviewPanel({ ...ports, model }), { ...ref, index, member, key });
  };
  const write = () => runActivity(createWriteReview(ports), ref);
  return { ...inFolder, ref, ports, ask, find, write };
}

const membersOf = (calls: readonly { readonly index: number; readonly member: number }[]) =>
  calls.map(({ index, member }) => [index, member]);

describe('the open calls of a review', () => {
  it('are those of the reviewers of each part, with the most that each may cost', async () => {
    const { find } = await reviewed(['q1', 'q2']);
    const { open, next } = await find();
    expect(next).toBeNull();
    expect(membersOf(open)).toEqual(
      [0, 1, 2, 3, 4, 5].flatMap((index) => [0, 1].map((member) => [index, member])),
    );
    expect(Math.min(...open.map(({ size }) => worstCase(size, noBills).usd))).toBeGreaterThan(0);
    expect(membersOf((await find(4)).open)).toEqual([
      [4, 0],
      [4, 1],
      [5, 0],
      [5, 1],
    ]);
  });

  it('are looked for in batches', async () => {
    const uuids = Array.from({ length: 60 }, (_, index) => `q${index}`);
    const { find } = await reviewed(uuids, reviewConfig('a|b'));
    const { open, next } = await find();
    expect([open.length, next]).toEqual([150, 150]);
    expect(await find(150)).toMatchObject({ open: { length: 30 }, next: null });
  });

  it('are none for questions without an answer, and only of the answer without interaction', async () => {
    const { find, runFiles, ref } = await reviewed(['q1', 'q2'], undefined, {
      mode: 'no-interaction',
    });
    await runFiles.reopen(ref.run, [sampleKey('q1')], false);
    expect(membersOf((await find()).open)).toEqual([
      [5, 0],
      [5, 1],
    ]);
  });
});

describe('a call of a member', () => {
  it('is paid for once, and opens those of the meta-reviewers when all reviewers have decided', async () => {
    const { ask, find } = await reviewed(['q1']);
    const model = new FakeModel(saysPerfect, saysImperfect, saysPerfect);
    const first = await ask(model, 0, 0);
    expect(first).toMatchObject({ kind: 'made', spent: { usd: 0.0002, tokens: 110 } });
    expect(first.kind === 'made' && membersOf(first.opened)).toEqual([[0, 1]]);
    const second = await ask(model, 0, 1);
    expect(second.kind === 'made' && membersOf(second.opened)).toEqual([[0, 2]]);
    const again = await ask(model, 0, 1);
    // A worker that was lost after it had stored the reply has told nobody what was spent.
    expect(again).toEqual(second);
    expect(await ask(model, 0, 2)).toMatchObject({ kind: 'made', opened: [] });
    expect(model.requests).toHaveLength(3);
    expect(membersOf((await find()).open).filter(([index]) => index === 0)).toEqual([]);
  });

  it('shows the schema, and the rows where the agent saw them all', async () => {
    const { ask } = await reviewed(['q1'], undefined, { mode: 'no-interaction' });
    const model = new FakeModel(saysPerfect);
    await ask(model, 2, 0);
    const [request] = model.requests;
    const content = contentText(request?.messages[1]?.content ?? '');
    const sections = readDelimited(content)?.sections ?? [];
    expect(sections.map(({ label }) => label)).toEqual([
      'question',
      'schema',
      'rows of all tables',
      'answer',
    ]);
    expect(sections[1]?.text).toContain('CREATE TABLE lamps');
    expect(sections[2]?.text).toContain('true');
    expect(request).not.toHaveProperty('run');
  });

  it('is paid for once through an outage that is longer than its attempts', async () => {
    const { ref, ports, find } = await reviewed(['q1']);
    const outage = new OutageAfterReply(saysPerfect);
    const away = { ...ports, judgingFiles: outage.over(ports.judgingFiles), model: outage.model };
    const { open } = await find();
    const { index = 0, member = 0, key = '' } = open[0] ?? {};
    const attempt = (heartbeatDetails?: unknown) =>
      runActivity(createReviewPanel(away), { ...ref, index, member, key }, { heartbeatDetails });
    const paid: unknown = expect.objectContaining({ raw: saysPerfect });
    const first = await leftBy(attempt());
    expect(first).toMatchObject({ failed: 1, paid });
    // Nothing can be read either.
    const second = await leftBy(attempt(first));
    expect(second).toMatchObject({ failed: 2, paid });
    outage.end();
    expect(await attempt(second)).toMatchObject({ kind: 'made' });
    expect(outage.calls).toBe(1);
  });

  it('asks the same member again after an unreadable reply', async () => {
    const { ask } = await reviewed(['q1']);
    const made = await ask(new FakeModel('Well.'), 1, 0);
    expect(made.kind === 'made' && membersOf(made.opened)).toEqual([
      [1, 0],
      [1, 1],
    ]);
  });

  it('is put off while the provider takes no calls, and stores nothing', async () => {
    const { ask, find } = await reviewed(['q1']);
    const failure = new PortFailure('ModelDeferred', 'no credit', { retryAfterMs: 5 });
    expect(await ask(new FakeModel(failure), 0, 0)).toMatchObject({
      kind: 'deferred',
      retryAfterMs: 5,
    });
    expect((await find()).open).toHaveLength(6);
  });

  it('is not made if the question is being asked again', async () => {
    const { ask, runFiles, ref } = await reviewed(['q1']);
    await runFiles.reopen(ref.run, [sampleKey('q1')], false);
    expect(await ask(new FakeModel(), 0, 0)).toMatchObject({ kind: 'made', opened: [] });
  });

  it('cannot be made for a review that is not known, and says so', async () => {
    const { ask, folder, ref } = await reviewed(['q1']);
    writeFileSync(join(folder, reviewFile(ref.review)), '{');
    await expect(ask(new FakeModel(), 0, 0)).rejects.toMatchObject({
      type: 'InvalidRun',
      nonRetryable: true,
    });
  });
});

describe('what a review writes', () => {
  it('is a line for each panel, how they stand, and what all replies have cost', async () => {
    const { ask, write, runFiles, ref } = await reviewed(['q1'], reviewConfig('a|b'));
    const model = new FakeModel(saysPerfect, saysPerfect, saysImperfect);
    await ask(model, 0, 0);
    await ask(model, 0, 1);
    await ask(model, 1, 0);
    expect(await write()).toEqual({ usd: 0.0006, tokens: 330 });
    const panels = await runFiles.lines(ref.run, panelsFile(ref.review), reviewedPanelSchema);
    expect(panels.map(({ subTask, open = false }) => [subTask, open])).toEqual([
      ['IP', false],
      ['TE', true],
      ['IS', true],
    ]);
    expect(panels[0]?.metaReviewers).toEqual([
      { model: 'fake-model', decision: 'perfect', rationale: 'All is well.' },
    ]);
    const record = await runFiles.json(ref.run, reviewFile(ref.review), reviewRecordSchema);
    expect(record?.totals).toMatchObject({
      panels: { perfect: 1, open: 2 },
      usage: { calls: 3 },
      costUsd: expect.closeTo(0.0006, 9) as number,
    });
  });

  it('counts the panels about answers without interaction', async () => {
    const { write, runFiles, ref } = await reviewed(['q1', 'q2'], undefined, {
      mode: 'iterative',
      traceOf: (uuid) => (uuid === 'q1' ? withoutInteraction : {}),
    });
    await write();
    const record = await runFiles.json(ref.run, reviewFile(ref.review), reviewRecordSchema);
    expect(record?.totals).toMatchObject({ panels: { open: 6 }, withoutInteraction: 2 });
  });
});
