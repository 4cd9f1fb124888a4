import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkRun } from '../../../bench/chaos/check-run.js';
import { kill, killService } from '../../../bench/chaos/command-line.js';
import { stageOfPrompt } from '../../../domain/agent/database-qa/prompts.js';
import { runIdSchema } from '../../../domain/ids.js';
import { panelsFile, runFolder } from '../../../domain/runs/run-manifest.js';
import { reviewedPanelSchema } from '../../../domain/scoring/review/panel.js';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import { checkout, eventually, jsonLines, newHome, turnwise } from '../../support/command-line.js';
import { startHeldModel, type HeldCall, type HeldModel } from '../../support/fakes/held-model.js';

const example = join(checkout, 'examples/database-qa');
const home = newHome();
const questions = 8;
const atATime = 4;
let inner: SimulatedModel;
let model: HeldModel;

beforeAll(async () => {
  inner = await startSimulatedModel({ script: join(example, 'replies.json') });
  model = await startHeldModel(inner);
});

afterAll(async () => {
  model.close();
  await inner.close();
});

const commandFor = (args: readonly string[]) => () =>
  turnwise([...args, '--concurrency', String(atATime), '--yes', '--json'], {
    TURNWISE_HOME: home,
    OPENAI_BASE_URL: model.url,
  });

const answering = (run: string) =>
  commandFor([
    ...['run', join(example, 'questions.jsonl'), '--limit', String(questions), '--run', run],
    ...['--method', 'sequential', '--model', 'large', '--judge-model', 'judge', '--no-probe'],
  ]);

const reviewing = (run: string) =>
  commandFor(['review', run, '--reviewers', 'reviewer-a,reviewer-b', '--meta-reviewers', 'meta']);

/** What a call is made for. */
const phaseOf = ({ model: name, prompt }: HeldCall): string | null =>
  name === 'large' ? stageOfPrompt(prompt) : name.replace(/-.*/, '');

/**
 * Starts a command, and kills the worker, Temporal and the command itself each time that a phase has begun and as many calls
 * are held as go on at a time. It is then started again. Returns the number of calls in flight at the kills.
 */
async function killedIn(phases: readonly string[], command: () => ReturnType<typeof turnwise>) {
  let inFlight = 0;
  for (const phase of phases) {
    let hasBegun = false;
    model.releaseOnly((call) => !(hasBegun ||= phaseOf(call) === phase));
    const killed = command();
    await eventually(() => (model.held().length >= atATime ? true : null));
    inFlight += model.held().length;
    expect(killService(home, 'worker')).toBe(true);
    expect(killService(home, 'temporal')).toBe(true);
    expect(kill(killed.child.pid ?? 0)).toBe(true);
    await killed.finished;
  }
  model.releaseOnly(() => true);
  const { status, stderr } = await command().finished;
  expect(status, stderr).toBe(0);
  return inFlight;
}

/** The calls that a command makes from its start to its end. */
async function callsOf(command: () => Promise<unknown>): Promise<number> {
  const before = model.arrived();
  await command();
  return model.arrived() - before;
}

function panelsOf(run: string): readonly unknown[] {
  const folder = join(home, runFolder(runIdSchema.parse(run)));
  const [review = '', ...others] = readdirSync(join(folder, 'reviews'));
  expect(others).toEqual([]);
  return jsonLines(join(folder, panelsFile(review)))
    .map((line) => reviewedPanelSchema.parse(line))
    .map(({ uuid, subTask, reviewers, metaReviewers, open }) => ({
      key: `${uuid} ${subTask}`,
      members: [...reviewers, ...metaReviewers].map(({ decision, rationale }) => ({
        decision,
        rationale,
      })),
      open,
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

it('an answered, judged and reviewed run over databases equals an undisturbed one, whatever is killed in any of its phases', async () => {
  const calls = await callsOf(() => killedIn([], answering('undisturbed')));
  const reviews = await callsOf(() => killedIn([], reviewing('undisturbed')));

  let mayBeRepeated = 0;
  const callsWithKills = await callsOf(async () => {
    mayBeRepeated = await killedIn(['plan', 'queries', 'answer', 'judge'], answering('killed'));
  });
  expect(callsWithKills - calls).toBeLessThanOrEqual(mayBeRepeated);
  const settings = { home, run: 'killed', questions, turns: 0 };
  const counts = { stats: inner.stats(), inFlightAtKills: 0 };
  expect(await checkRun(settings, 'undisturbed', counts)).toMatchObject({
    lost: 0,
    twice: 0,
    differing: [],
  });

  const reviewsWithKills = await callsOf(async () => {
    mayBeRepeated = await killedIn(['reviewer', 'meta'], reviewing('killed'));
  });
  expect(reviewsWithKills - reviews).toBeLessThanOrEqual(mayBeRepeated);
  expect(panelsOf('killed')).toEqual(panelsOf('undisturbed'));
});
