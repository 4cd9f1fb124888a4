import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { executeCalls } from '../../../../client/runs/scoring/execute-calls.js';
import { countHistories, workflowsOfRun } from '../../../../client/runs/removal/histories.js';
import { RunRemover } from '../../../../client/runs/removal/remove-runs.js';
import { prepareRun, type RunRequest } from '../../../../client/runs/prepare-run.js';
import { listRuns } from '../../../../client/runs/run-folder.js';
import type { RunId } from '../../../../domain/ids.js';
import { manifestFile, type RunManifest } from '../../../../domain/runs/run-manifest.js';
import { reviewIdSchema, reviewWorkflowId } from '../../../../domain/scoring/review/panel.js';
import { createFolderStorage } from '../../../../storage/folder-storage.js';
import type { ObjectStorage } from '../../../../storage/objects.js';
import { workflowNames } from '../../../../workflows/messages.js';
import { eventually } from '../../../support/command-line.js';
import {
  startRunsUnderTest,
  type RunsUnderTest,
  type TestRun,
} from '../../../support/runs/runs-under-test.js';
import { testHome } from '../../../support/test-home.js';

let runs: RunsUnderTest;
let home: string;
beforeAll(async () => {
  runs = await startRunsUnderTest();
  home = dirname(dirname(runs.runOf(['a'], 1).folder));
  return () => runs.stop();
});
afterEach(() => void vi.restoreAllMocks());

const options = { withReplies: false };
/** What became of a run's manifest is tested here: its id and settings are remembered. */
const manifests = new Map<TestRun, RunManifest>();
function manifestOf(run: TestRun): RunManifest {
  const manifest = manifests.get(run) ?? run.manifest();
  manifests.set(run, manifest);
  return manifest;
}
const idOf = (run: TestRun): RunId => manifestOf(run).run;
const remover = (storage?: ObjectStorage) =>
  new RunRemover({ TURNWISE_HOME: home, TURNWISE_STORAGE: undefined }, storage);

const closedOf = (id: RunId): string =>
  `${workflowsOfRun(runs.client, id)} AND ExecutionStatus != 'Running'`;

async function endedRun(...names: readonly string[]): Promise<TestRun> {
  const run = runs.runOf(names, names.length);
  await (await run.start()).result();
  const { run: id } = manifestOf(run);
  // Visibility is late, and what it does not show yet is not deleted.
  await eventually(async () =>
    (await countHistories(runs.client, closedOf(id))) === names.length + 1 ? true : null,
  );
  return run;
}

/** Removes it as the command does. */
async function remove(run: string, by = remover()): Promise<unknown> {
  const [found] = await by.find([run]);
  if (!found) throw new Error('nothing was found');
  await by.requireEnded(runs.client, [found.run]);
  return by.remove(found, runs.client, options);
}

const untilForgotten = (handle: WorkflowHandle): Promise<true> =>
  eventually(async () => {
    try {
      await handle.describe();
      return null;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return true;
      throw error;
    }
  });

async function expectGone(run: TestRun, names: readonly string[]): Promise<void> {
  await untilForgotten(run.handle);
  for (const name of names) await untilForgotten(run.question(name));
  expectNoFiles(run);
}

function expectNoFiles(run: TestRun): void {
  expect(existsSync(run.folder)).toBe(false);
  expect(readdirSync(join(home, 'removals'))).toEqual([]);
}

describe('the removal of a run', () => {
  it('leaves no file and no history of it, and other runs alone', async () => {
    const [run, other] = [await endedRun('a', 'b'), await endedRun('a')];
    const by = remover();
    const [found] = await by.find([idOf(run)]);
    expect(found).toMatchObject({ run: idOf(run), isWhole: true, histories: null });
    expect(found?.objects).toBeGreaterThan(8);
    const [counted] = await by.withHistories(runs.client, found ? [found] : []);
    expect(counted?.histories).toBe(3);
    expect(await remove(idOf(run))).toMatchObject({ ...found, histories: 3, replies: 0 });
    await expectGone(run, ['a', 'b']);
    expect((await listRuns(home)).map((each) => each.run)).toContain(idOf(other));
    expect((await other.handle.describe()).status.name).toBe('COMPLETED');
    expect((await other.question('a').describe()).status.name).toBe('COMPLETED');
  });

  it('is refused while the run is under way, and names the way out', async () => {
    const run = runs.runOf(['a'], 1, ['a']);
    await run.start();
    await run.untilAsked('a');
    await expect(remove(idOf(run))).rejects.toMatchObject({
      name: 'UserError',
      status: 2,
      message: `run ${idOf(run)} is under way: \`turnwise cancel ${idOf(run)}\` ends it, and then it can be removed`,
    });
    expect(run.manifest().status).toBe('running');
    run.release('a');
    await run.handle.result();
  });

  it('is refused while it is reviewed, and takes the histories of reviews and judges along', async () => {
    const run = await endedRun('a');
    const workflowId = reviewWorkflowId(testHome, idOf(run), reviewIdSchema.parse('0'.repeat(16)));
    const calls = executeCalls(runs.client, {
      workflow: workflowNames.reviewAnswers,
      workflowId,
      taskQueue: 'nobody',
      run: idOf(run),
      summary: '',
      input: null,
      done: 'reviewed',
      cases: 'panels',
    });
    const stopped = expect(calls).rejects.toThrow('the work stopped');
    const review = runs.client.workflow.getHandle(workflowId);
    const find = () => remover().requireEnded(runs.client, [idOf(run)]);
    // Visibility is late.
    const refusal = await eventually(() =>
      find().then(
        () => null,
        (error: unknown) => error,
      ),
    );
    expect(refusal).toMatchObject({
      name: 'UserError',
      message: `run ${idOf(run)} is being reviewed: remove it when the review has ended`,
    });
    await review.terminate();
    await stopped;
    await remove(idOf(run));
    await untilForgotten(review);
    expectNoFiles(run);
  });

  // The steps that change anything: mark, manifest, three histories, the folder, the mark.
  it.each([1, 2, 3, 4, 5, 6, 7])(
    'is completed by the next one when it dies at step %d',
    async (step) => {
      const run = await endedRun('a', 'b');
      const id = idOf(run);
      let steps = 0;
      const dying =
        <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) =>
        (...args: Args): Promise<T> =>
          ++steps < step ? call(...args) : Promise.reject(new Error('killed'));
      const storage = createFolderStorage(home);
      const service = runs.client.workflowService;
      const deletion = service.deleteWorkflowExecution.bind(service);
      const accepted = new Set<string>();
      const accepting = async (request: Parameters<typeof deletion>[0]) => {
        const answer = await deletion(request);
        accepted.add(request.workflowExecution?.workflowId ?? '');
        return answer;
      };
      const spy = vi.spyOn(service, 'deleteWorkflowExecution');
      spy.mockImplementation(dying(accepting));
      const { write, remove: removeObject, removeFolder } = storage;
      const by = remover({
        ...storage,
        write: dying(write),
        remove: dying(removeObject),
        removeFolder: dying(removeFolder),
      });
      await expect(remove(id, by)).rejects.toThrow('killed');
      spy.mockImplementation(accepting);
      // From the second step on it is no run any more, and its name is not free yet.
      const isRun = (await listRuns(home)).some((each) => each.run === id);
      expect(isRun).toBe(step <= 2);
      if (!isRun)
        await expect(beginAgain(run)).rejects.toThrow(`\`turnwise runs rm ${id}\` completes`);
      const [left] = await remover().find([id]);
      expect(left).toMatchObject({ run: id, isWhole: step <= 2 });
      await remove(id);
      // The server takes its time to carry out what it has accepted.
      expect(accepted).toEqual(
        new Set([run.handle, run.question('a'), run.question('b')].map((each) => each.workflowId)),
      );
      expectNoFiles(run);
      await expect(remover().find([id])).rejects.toThrow(`there is no run ${id}`);
      await beginAgain(run);
    },
  );

  it('is refused while a run that has not ended repeats its replies', async () => {
    const run = await endedRun('a');
    const replay = runs.runOf(['a'], 1, [], { replay: idOf(run) });
    await expect(remover().find([idOf(run)])).rejects.toThrow(
      `run ${idOf(replay)}, which has not ended, repeats the replies of run ${idOf(run)}`,
    );
    expect(await remover().find([idOf(run), idOf(replay)])).toHaveLength(2);
  });

  it('takes a run whose manifest is damaged', async () => {
    const run = await endedRun('a');
    writeFileSync(join(run.folder, manifestFile), '{');
    vi.spyOn(console, 'error').mockReturnValue();
    await remove(idOf(run));
    expectNoFiles(run);
  });
});

/** A run of the same name, as `turnwise run` would begin it. */
async function beginAgain(run: TestRun): Promise<void> {
  const { run: id, config, store } = manifestOf(run);
  const { manifest } = await prepareRun({
    home,
    run: id,
    dataset: { path: 'd.jsonl', text: '{"uuid":"a","question":"Why?"}\n' },
    store: { ...store, papers: [] } as unknown as RunRequest['store'],
    config,
  });
  expect(manifest.run).toBe(id);
  await createFolderStorage(home).removeFolder(`runs/${id}`);
}
