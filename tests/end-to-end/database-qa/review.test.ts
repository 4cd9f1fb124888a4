import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { killService } from '../../../bench/chaos/command-line.js';
import { runIdSchema, type RunId } from '../../../domain/ids.js';
import { panelsFile, runFolder } from '../../../domain/runs/run-manifest.js';
import {
  reviewedPanelSchema,
  reviewIdSchema,
  reviewFile,
  reviewRecordSchema,
  type ReviewedPanel,
} from '../../../domain/scoring/review/panel.js';
import { callsProgressSchema } from '../../../domain/scoring/open-calls.js';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import type { SimulatorSettings } from '../../../simulator/simulator-options.js';
import {
  eventually,
  jsonLines,
  newHome,
  turnwise,
  type Running,
  untilReady,
} from '../../support/command-line.js';
import { startHttpEndpoint } from '../../support/fakes/http-endpoint.js';
import { answeredRun, withoutInteraction } from '../../support/runs/reviewed.js';

const home = newHome();
let models: readonly SimulatedModel[] = [];
let up: Running;

beforeAll(async () => {
  up = turnwise(['up'], { TURNWISE_HOME: home });
  await untilReady(up);
});

afterAll(async () => {
  up.child.kill('SIGINT');
  await up.finished;
  await Promise.all(models.map((model) => model.close()));
});

async function model(settings: SimulatorSettings = {}): Promise<SimulatedModel> {
  const started = await startSimulatedModel(settings);
  models = [...models, started];
  return started;
}

const uuids = Array.from({ length: 10 }, (_, index) => `q-${index}`);
/** Three panels of each answer have six members. */
const calls = uuids.length * 18;
const members = ['--reviewers', 'a,b,c', '--meta-reviewers', 'd,e,f', '--order-check', '0'];

/** A run with ten answers, as a command of turnwise leaves it. */
async function answered(name: string): Promise<RunId> {
  const run = runIdSchema.parse(name);
  await answeredRun(uuids, {
    home,
    mode: 'iterative',
    traceOf: (uuid) => (uuid === 'q-0' ? withoutInteraction : {}),
    change: (manifest) => ({ ...manifest, run }),
  });
  return run;
}

type Asked = Pick<SimulatedModel, 'url'>;

const review = (run: RunId, { url }: Asked, ...flags: readonly string[]): Running =>
  turnwise(['review', run, ...members, ...flags], {
    ...{ TURNWISE_HOME: home, OPENAI_BASE_URL: url, TURNWISE_BATCH_PAUSE: '0.2' },
  });

const madeSchema = z.object({ review: reviewIdSchema, progress: callsProgressSchema });

/** A review that ends, and what it has written. */
async function reviewed(
  run: RunId,
  asked: Asked,
  flags: readonly string[] = [],
  statuses: readonly number[] = [0],
) {
  const { status, stdout, stderr } = await review(run, asked, '--json', ...flags).finished;
  expect(statuses, stderr).toContain(status);
  const { review: id, progress } = madeSchema.parse(JSON.parse(stdout));
  const file = (name: string): string => join(home, runFolder(run), name);
  const panels = jsonLines(file(panelsFile(id))).map((line) => reviewedPanelSchema.parse(line));
  const record = reviewRecordSchema.parse(JSON.parse(readFileSync(file(reviewFile(id)), 'utf8')));
  return { progress, panels, record, stderr };
}

const outcomesOf = (panels: readonly ReviewedPanel[]): readonly unknown[] =>
  panels.map(({ uuid, subTask, reviewers, metaReviewers, open }) => [
    uuid,
    subTask,
    [...reviewers, ...metaReviewers].map(({ decision }) => decision),
    open,
  ]);

describe('a review', () => {
  let undisturbed: readonly unknown[];

  it('has each part of each answer reviewed, by members who see the data', async () => {
    const run = await answered('undisturbed');
    const asked = await model();
    const { panels, record, stderr } = await reviewed(run, asked);
    undisturbed = outcomesOf(panels);
    expect(asked.stats()).toMatchObject({ received: calls, distinctCompleted: calls });
    // The agent of q-0 asked nothing: its plan is empty, and its figures stand in no result.
    expect(record.totals).toMatchObject({
      panels: { perfect: 27, imperfect: 3 },
      withoutInteraction: 2,
      usage: { calls },
    });
    expect(stderr).toContain(`about ${calls} calls`);
  });

  it('asks nothing again, and compares with labels', async () => {
    const run = runIdSchema.parse('undisturbed');
    const file = join(home, 'labels.jsonl');
    const label = (uuid: string, decision: string): string =>
      JSON.stringify({ uuid, subTask: 'TE', label: decision });
    writeFileSync(file, `${label('q-0', 'imperfect')}\n${label('q-1', 'imperfect')}\n`);
    const asked = await model();
    const { stdout } = await review(run, asked, '--against', file).finished;
    expect(asked.stats().received).toBe(0);
    expect(stdout).toContain('against 2 labels: agreement 0.50');
    expect(stdout).toMatch(
      /^question +sub-task +the panel says +the label\nq-1 +TE +perfect +imperfect$/m,
    );
    expect(stdout).toContain('2 panels of IP and TE are about answers without interaction');
  });

  it('comes to the same in batches', async () => {
    const run = await answered('batched');
    const asked = await model({ batchMs: 300 });
    const { panels, record } = await reviewed(run, asked, ['--batch']);
    expect(outcomesOf(panels)).toEqual(undisturbed);
    expect(record.totals?.usage).toMatchObject({ calls });
    const { received, promptTokens, batchedPromptTokens } = asked.stats();
    expect([received, batchedPromptTokens]).toEqual([calls, promptTokens]);
  });

  it('loses nothing and asks nothing twice, whatever is killed meanwhile', async () => {
    const run = await answered('killed');
    const slow = await model({ latencyMs: 400 });
    const atATime = 6;
    const command = review(run, slow, '--concurrency', String(atATime));
    const after = async (completed: number): Promise<void> => {
      await eventually(() => (slow.stats().completed >= completed ? true : null));
    };
    await after(20);
    expect(killService(home, 'worker')).toBe(true);
    await after(60);
    command.child.kill('SIGKILL');
    await command.finished;
    await after(90);
    expect(killService(home, 'temporal')).toBe(true);
    const { panels, progress } = await reviewed(run, slow);
    expect(progress).toMatchObject({ failures: [], parked: null });
    expect(outcomesOf(panels)).toEqual(undisturbed);
    const { distinctCompleted, received } = slow.stats();
    expect(distinctCompleted).toBe(calls);
    // Calls in flight at the kills of the worker and of Temporal.
    expect(received - calls).toBeLessThanOrEqual(2 * atATime);
  });

  it('is parked at its budget, and a higher one ends it without asking anything twice', async () => {
    const run = await answered('parked');
    const asked = await model();
    const first = await reviewed(run, asked, ['--budget-tokens', '30000'], [4]);
    const spent = (): number => asked.stats().promptTokens + asked.stats().completionTokens;
    expect(asked.stats().completed).toBeGreaterThan(0);
    expect(first.stderr).toContain('the same command with a higher --budget-tokens goes on');
    expect(first.record.totals?.panels.open).toBeGreaterThan(0);
    const before = spent();
    // What is spent counts. Some other call may still fit.
    const same = await reviewed(run, asked, ['--budget-tokens', '30000'], [4]);
    expect(same.progress.parked).not.toBeNull();
    expect(same.progress.spent.tokens).toBeGreaterThanOrEqual(before);
    expect(spent()).toBeLessThanOrEqual(30_000);
    const whole = await reviewed(run, asked, ['--budget-tokens', '10000000']);
    expect(outcomesOf(whole.panels)).toEqual(undisturbed);
    expect(asked.stats()).toMatchObject({ received: calls, distinctCompleted: calls });
  });

  it('counts members who reply nonsense as missing, which moves no decision of others', async () => {
    const run = await answered('nonsense');
    const { panels } = await reviewed(run, await model({ judgeUnreadable: 0.2, seed: 3 }));
    const found = panels.flatMap(({ reviewers }) => reviewers.map(({ decision }) => decision));
    expect(found.filter((decision) => decision === null).length).toBeGreaterThan(0);
    expect(panels.every(({ open }) => open === undefined)).toBe(true);
  });

  it('leaves panels open whose members cannot be reached, and takes them up again', async () => {
    const run = await answered('down');
    const down = await startHttpEndpoint((response) => response.writeHead(401).end('{}'));
    const failed = await reviewed(run, down, [], [1]);
    await down.close();
    expect(failed.stderr).toMatch(/90 calls failed \(.*401.*\): their panels stay open/);
    expect(failed.record.totals?.panels).toEqual({ open: 30 });
    const { panels } = await reviewed(run, await model());
    expect(outcomesOf(panels)).toEqual(undisturbed);
  });

  it.each([
    ['an unknown run', ['no-run'], /there is no run no-run/],
    ['labels of other answers', ['undisturbed', '--against', 'wrong.jsonl'], /no answer to nobody/],
    ['a budget in dollars without prices', ['undisturbed', '--budget-usd', '1'], /is not known/],
  ])('is refused for %s before anything is asked', async (_, args, message) => {
    writeFileSync(
      join(home, 'wrong.jsonl'),
      `${JSON.stringify({ uuid: 'nobody', subTask: 'IP', label: 'perfect' })}\n`,
    );
    const idle = await model();
    const { status, stderr } = await turnwise(
      ['review', ...args, ...members],
      { TURNWISE_HOME: home, OPENAI_BASE_URL: idle.url },
      home,
    ).finished;
    expect([status, idle.stats().received]).toEqual([2, 0]);
    expect(stderr).toMatch(message);
  });
});
