import { describe, expect, it } from 'vitest';
import type { RunFilesPort } from '../../../activities/ports/run-files.js';
import { PortFailure } from '../../../activities/ports/port-failure.js';
import { noAgent } from '../../support/fakes/no-agent.js';
import { noDatabases } from '../../support/fakes/no-databases.js';
import { createAskModel } from '../../../activities/questions/ask-model.js';
import { FakeModel } from '../../support/fakes/fake-model.js';
import { leftBy, OutageAfterReply } from '../../support/fakes/outage.js';
import { questionInFolder } from '../../support/runs/question-in-folder.js';
import { refusingRunFiles } from '../../support/fakes/refusing-run-files.js';
import { exampleObservation, exampleReply } from '../../support/runs/example-records.js';
import { runActivity } from '../../support/run-activity.js';

const clock = { now: () => '2026-01-01T00:00:00.000Z' };
const answer = '[Thought]: seen\n[Action]: GenerateAnswer(answer=20)';

describe('a reply that cannot be stored', () => {
  it('is paid for once and stored as soon as that is possible', async () => {
    const { ref, ...folder } = questionInFolder();
    const runFiles = refusingRunFiles(folder.runFiles);
    const model = new FakeModel(answer);
    const askModel = createAskModel({
      model,
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    runFiles.refuse(3);
    expect(await runActivity(askModel, { ...ref, turn: 1 })).toMatchObject({ preview: '20' });
    expect(runFiles.refused()).toBe(3);
    expect(model.requests).toHaveLength(1);
    expect((await runFiles.reply(ref.run, ref, 1))?.raw).toBe(answer);
  });

  it('is stored as soon as that is possible though its call is cancelled, as `pause --now` does', async () => {
    const { ref, ...folder } = questionInFolder();
    const runFiles = refusingRunFiles(folder.runFiles);
    const askModel = createAskModel({
      model: new FakeModel(answer),
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    runFiles.refuse(3);
    let cancel = (): void => undefined;
    const cancelled = new Promise<void>((resolve) => (cancel = resolve));
    await runActivity(askModel, { ...ref, turn: 1 }, { cancelled, onHeartbeat: () => cancel() });
    expect((await runFiles.reply(ref.run, ref, 1))?.raw).toBe(answer);
  });

  it('goes to the next attempt, which asks nobody', async () => {
    const { ref, ...folder } = questionInFolder();
    const runFiles = refusingRunFiles(folder.runFiles);
    let heartbeatDetails: unknown;
    const onHeartbeat = (details: unknown): void => {
      // As the server keeps it.
      heartbeatDetails = JSON.parse(JSON.stringify(details));
    };
    const model = new FakeModel(answer);
    const askModel = createAskModel({
      model,
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
      storeForMs: 0,
    });
    runFiles.refuse(2);
    await expect(runActivity(askModel, { ...ref, turn: 1 }, { onHeartbeat })).rejects.toMatchObject(
      { type: 'RunFilesUnavailable', nonRetryable: false },
    );
    expect(await runActivity(askModel, { ...ref, turn: 1 }, { heartbeatDetails })).toMatchObject({
      preview: '20',
    });
    expect(model.requests).toHaveLength(1);
    expect((await runFiles.reply(ref.run, ref, 1))?.raw).toBe(answer);
  });

  it('is kept though the call fails once more', async () => {
    const { ref, ...folder } = questionInFolder();
    const runFiles = refusingRunFiles(folder.runFiles);
    const model = new FakeModel(answer);
    const ports = {
      model,
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
      storeForMs: 0,
    };
    const askModel = createAskModel(ports);
    const turn = { ...ref, turn: 1 };
    const left: unknown[] = [];
    const trying = (heartbeatDetails?: unknown): Promise<unknown> =>
      runActivity(askModel, turn, { heartbeatDetails, onHeartbeat: (told) => left.push(told) });
    runFiles.refuse(4);
    const paid: unknown = expect.objectContaining({ raw: answer });
    for (const failed of [1, 2])
      await expect(trying(left.at(-1))).rejects.toMatchObject({ details: [{ failed, paid }] });
    expect(await trying(left.at(-1))).toMatchObject({ preview: '20' });
    expect(model.requests).toHaveLength(1);
  });

  it('is kept while nothing can be read either', async () => {
    const { ref, ...folder } = questionInFolder();
    const runFiles = refusingRunFiles(folder.runFiles);
    const away = {
      ...runFiles,
      reply: () => Promise.reject(new PortFailure('RunFilesUnavailable', 'away')),
    };
    const model = new FakeModel(answer);
    const trying = (files: RunFilesPort, heartbeatDetails?: unknown): Promise<unknown> => {
      const ports = {
        model,
        runFiles: files,
        databases: noDatabases,
        ownCode: noAgent,
        clock,
        storeForMs: 0,
      };
      return runActivity(createAskModel(ports), { ...ref, turn: 1 }, { heartbeatDetails });
    };
    runFiles.refuse(4);
    const error: unknown = await trying(runFiles).catch((thrown: unknown) => thrown);
    const [left] = (error as { readonly details: readonly unknown[] }).details;
    const paid: unknown = expect.objectContaining({ raw: answer });
    await expect(trying(away, left)).rejects.toMatchObject({ details: [{ failed: 2, paid }] });
    expect(model.requests).toHaveLength(1);
  });

  it('is kept where no file can be read from the reply on', async () => {
    const evaluator = { eval_func: 'eval_int_exact_match', eval_kwargs: { gold: 20 } };
    const { ref, runFiles } = questionInFolder({ evaluator });
    await runFiles.saveReply(ref.run, ref, exampleReply(1, null));
    await runFiles.saveObservation(ref.run, ref, exampleObservation(1, 'found'));
    const outage = new OutageAfterReply(answer);
    const askModel = createAskModel({
      model: outage.model,
      runFiles: outage.over(runFiles),
      databases: outage.over(noDatabases),
      ...{ ownCode: noAgent, clock, storeForMs: 0 },
    });
    const heartbeatDetails = await leftBy(runActivity(askModel, { ...ref, turn: 2 }));
    expect(heartbeatDetails).toMatchObject({ paid: { raw: answer } });
    outage.end();
    await runActivity(askModel, { ...ref, turn: 2 }, { heartbeatDetails });
    expect(outage.calls).toBe(1);
  });

  it('is given up at once where trying again cannot help', async () => {
    const { ref, ...folder } = questionInFolder();
    const runFiles = refusingRunFiles(folder.runFiles);
    const askModel = createAskModel({
      model: new FakeModel(answer),
      runFiles,
      databases: noDatabases,
      ownCode: noAgent,
      clock,
    });
    runFiles.refuse(2, 'InvalidRun');
    await expect(runActivity(askModel, { ...ref, turn: 1 })).rejects.toMatchObject({
      type: 'InvalidRun',
      nonRetryable: true,
    });
    expect(runFiles.refused()).toBe(1);
  });
});
