import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resultSchema, type Result } from '../../../domain/agent/question-result.js';
import { servicesRecordSchema } from '../../../domain/services.js';
import { startSimulatedModel, type SimulatedModel } from '../../../simulator/simulated-model.js';
import {
  checkout,
  eventually,
  jsonLines,
  newHome,
  turnwise,
  untilReady,
  type Running,
} from '../../support/command-line.js';

const examples = join(checkout, 'examples');
const questions = join(examples, 'questions.jsonl');
const home = newHome();
const pids = join(home, 'pids');
let model: SimulatedModel;
let up: Running;
let settings: Record<string, string>;

beforeAll(async () => {
  model = await startSimulatedModel({ script: join(examples, 'replies.json'), latencyMs: 50 });
  settings = { TURNWISE_HOME: home, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'key' };
  up = turnwise(['up'], settings);
  await untilReady(up);
  const add = ['store', 'add', join(examples, 'papers'), '--store', 'papers'];
  expect(await turnwise(add, settings).finished).toMatchObject({ status: 0 });
});
afterAll(async () => {
  up.child.kill('SIGINT');
  await up.finished;
  await model.close();
});

const ask = (run: string): Running =>
  turnwise(
    [
      ...['run', questions, '--run', run, '--concurrency', '4', '--no-probe'],
      ...[
        '--agent-program',
        `echo $$ >> ${pids}; exec python3 ${join(examples, 'agents/react.py')}`,
      ],
    ],
    settings,
  );

const results = (run: string): readonly Result[] =>
  jsonLines(join(home, `runs/${run}/results.jsonl`)).map((line) => resultSchema.parse(line));

const answers = (run: string): readonly unknown[] =>
  results(run)
    .map(({ uuid, answer, outcome }) => [uuid, outcome.kind, answer])
    .sort();

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
};

it('answers the example questions, and buys nothing again where it and its worker are killed', async () => {
  const count = jsonLines(questions).length;
  const whole = await ask('whole').finished;
  expect(whole.status, whole.stderr).toBe(0);
  expect(results('whole').map(({ outcome }) => outcome.kind)).toEqual(
    Array(count).fill('answered'),
  );
  const calls = (run: string): number =>
    results(run).reduce((sum, { usage }) => sum + usage.calls, 0);
  expect(model.stats().completed).toBe(calls('whole'));

  const killed = ask('killed');
  await eventually(() => (results('killed').length >= count / 2 ? true : null));
  for (const pid of readFileSync(pids, 'utf8').trim().split('\n')) kill(Number(pid));
  const record = servicesRecordSchema.parse(
    JSON.parse(readFileSync(join(home, 'services.json'), 'utf8')),
  );
  kill(record.services.find(({ name }) => name === 'worker')?.pid ?? 0);
  const end = await killed.finished;
  expect(end.status, end.stderr).toBe(0);
  expect(answers('killed')).toEqual(answers('whole'));
  // A call in flight when its worker was killed may be made again; one with a stored reply is not.
  const repeated = model.stats().completed - calls('whole') - calls('killed');
  expect(repeated).toBeGreaterThanOrEqual(0);
  expect(repeated).toBeLessThanOrEqual(4);
  expect(results('killed').reduce((sum, { usage }) => sum + usage.promptTokens, 0)).toBe(
    results('whole').reduce((sum, { usage }) => sum + usage.promptTokens, 0),
  );
});

it('is refused without a command, beside a method, and with options that it does not read', async () => {
  const refused = async (...args: readonly string[]) => {
    const { status, stderr } = await turnwise(['run', questions, ...args], settings).finished;
    return [status, stderr.trim()];
  };
  expect(await refused('--method', 'agent-program')).toEqual([
    2,
    expect.stringContaining('give --agent-program'),
  ]);
  expect(await refused('--agent-program', 'x', '--method', 'sequential')).toEqual([
    2,
    expect.stringContaining('--method'),
  ]);
  expect(await refused('--agent-program', 'x', '--window', '3')).toEqual([
    2,
    expect.stringContaining('--window has no effect'),
  ]);
});
