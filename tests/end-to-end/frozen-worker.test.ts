import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { workerProgram } from '../../client/services/programs.js';
import { RunFolder } from '../../client/runs/run-folder.js';
import { runIdSchema, sampleKeySchema } from '../../domain/ids.js';
import { workerFlags } from '../../domain/services.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import {
  checkout,
  eventually,
  jsonLines,
  newHome,
  program,
  turnwise,
  type Running,
  untilReady,
} from '../support/command-line.js';
import { startHeldModel, type HeldCall, type HeldModel } from '../support/fakes/held-model.js';

const examples = join(checkout, 'examples');
/** Not `turnwise worker`, whose worker is a process of its own: it is the worker that is to be frozen. */
const worker = [...workerFlags, workerProgram('worker')];
const home = newHome();
let model: SimulatedModel;
let door: HeldModel;
let up: Running;
let settings: Record<string, string>;

beforeAll(async () => {
  model = await startSimulatedModel({ script: join(examples, 'replies.json') });
  door = await startHeldModel(model);
  settings = { TURNWISE_HOME: home, OPENAI_BASE_URL: door.url, OPENAI_API_KEY: 'key' };
  up = turnwise(['up'], settings);
  await untilReady(up);
  const ingested = turnwise(
    ['store', 'add', join(examples, 'papers'), '--store', 'papers'],
    settings,
  );
  expect(await ingested.finished).toMatchObject({ status: 0 });
});

afterAll(async () => {
  up.child.kill('SIGINT');
  await up.finished;
  door.close();
  await model.close();
});

it('a frozen worker that wakes after `retry --anew` adds no line twice and no reply to the new conversation', async () => {
  const { temporalAddress, milvusAddress } = JSON.parse(
    readFileSync(join(home, 'services.json'), 'utf8'),
  ) as Record<string, string>;
  const queue = {
    ...settings,
    TEMPORAL_ADDRESS: String(temporalAddress),
    MILVUS_ADDRESS: String(milvusAddress),
    TURNWISE_TASK_QUEUE: 'fence',
  };
  const ended = (lines: number) =>
    eventually(() => {
      const found = jsonLines(join(home, 'runs/fence/results.jsonl'));
      return found.length >= lines ? found : null;
    });
  const questions = join(examples, 'questions.jsonl');
  const frozen = program(worker, queue);
  const args = [
    'run',
    questions,
    '--store',
    'papers',
    '--run',
    'fence',
    '--limit',
    '1',
    '--no-probe',
  ];
  let other: Running | null = null;
  try {
    const isOfRun = ({ number }: HeldCall): boolean => number > firstOfRun;
    let firstOfRun = Infinity;
    // Held before the run starts, which would be over in a moment.
    door.releaseOnly(() => false);
    expect(await turnwise([...args, '--detach'], queue).finished).toMatchObject({ status: 0 });
    await eventually(() => door.arrived() || null);
    frozen.child.kill('SIGSTOP');
    firstOfRun = door.arrived();

    other = program(worker, queue);
    await eventually(() => door.arrived() > firstOfRun || null);
    door.releaseOnly(isOfRun);
    await ended(1);
    await turnwise(['status', 'fence', '--watch'], queue).finished;

    const old = door.arrived();
    door.releaseOnly((call) => isOfRun(call) && call.number <= old);
    const retried = await turnwise(['retry', 'fence', '--anew', '--outcome', 'answered'], queue)
      .finished;
    expect(retried, retried.stderr).toMatchObject({ status: 0 });
    await eventually(() => door.arrived() > old || null);
    // The reply to the call that was in flight is there when it wakes.
    door.releaseOnly(({ number }) => number <= old);
    frozen.child.kill('SIGCONT');
    // It ends when what it was doing is done.
    frozen.child.kill('SIGTERM');
    await frozen.finished;
    door.releaseOnly(() => true);
    expect(await turnwise(['status', 'fence', '--watch'], queue).finished).toMatchObject({
      status: 0,
    });

    for (const file of ['results.jsonl', 'scores.jsonl']) {
      expect(jsonLines(join(home, 'runs/fence', file))).toHaveLength(1);
    }
    const [result] = jsonLines(join(home, 'runs/fence/results.jsonl'));
    expect(result).toMatchObject({ asking: 2, outcome: { kind: 'answered' } });
    const folder = new RunFolder(home, runIdSchema.parse('fence'));
    const { uuid } = sampleKeySchema.parse(result);
    const turns = await folder.turns({ uuid, epoch: 1 });
    const calls = turns.map(({ reply }) => Number(reply.model?.replace('call-', '')));
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.filter((call) => call <= old)).toEqual([]);
  } finally {
    door.releaseOnly(() => true);
    for (const running of [frozen, other]) {
      running?.child.kill('SIGCONT');
      running?.child.kill('SIGTERM');
      await running?.finished;
    }
  }
});
