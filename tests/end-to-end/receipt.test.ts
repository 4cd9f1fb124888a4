import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { groupBy } from '../../domain/statistics/means.js';
import { killService } from '../../bench/chaos/command-line.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import type { SimulatorSettings } from '../../simulator/simulator-options.js';
import {
  eventually,
  newHome,
  turnwise,
  type Finished,
  type Running,
  untilReady,
} from '../support/command-line.js';
import { lanternPaper } from '../support/stores/example-papers.js';

const numbers = Array.from({ length: 24 }, (_, index) => index);
const questionOf = (number: number): string => `How bright is lantern ${number}?`;
const script: SimulatorSettings['script'] = {
  questions: numbers.map((number) => ({
    question: questionOf(number),
    steps: [
      { thought: 'I add.', sql: `SELECT ${number} + 1 AS light` },
      { thought: 'I look for what is not there.', sql: 'SELECT light FROM lamps' },
    ],
    answer: { thought: 'I know that.', value: `mellow ${number % 4 === 0 ? 0 : number}` },
  })),
};
/** Of each question three turns and a judgement. */
const calls = 4 * numbers.length;

const home = newHome();
const out = (run: string): string => join(home, `${run}-files`);
const receipt = (run: string): string => join(out(run), 'receipt.jsonl');
let up: Running;
let models: readonly SimulatedModel[] = [];

async function done(args: readonly string[], url = 'http://127.0.0.1:9/v1'): Promise<string> {
  const settings = { TURNWISE_HOME: home, OPENAI_BASE_URL: url, OPENAI_API_KEY: 'sk-of-nobody' };
  const { status, stdout, stderr } = await turnwise(args, settings).finished;
  expect(status, stderr).toBe(0);
  return stdout;
}

/** Asks all questions, and exports the run with its receipt. */
async function run(
  id: string,
  settings: SimulatorSettings,
  meanwhile: (model: SimulatedModel) => Promise<void>,
): Promise<void> {
  const model = await startSimulatedModel({ script, ...settings });
  models = [...models, model];
  const asked = done(
    [
      ...['run', join(home, 'lanterns.jsonl'), '--store', 'lanterns', '--run', id],
      ...['--judge-model', 'a-judge', '--concurrency', '4', '--yes', '--no-probe'],
    ],
    model.url,
  );
  await Promise.all([asked, meanwhile(model)]);
  await done(['export', id, '--out', out(id), '--format', 'receipt']);
}

/** What `verify` says where there is no home and no service. */
const verify = (file: string): Promise<Finished> =>
  turnwise(['verify', file], { TURNWISE_HOME: newHome(), TEMPORAL_ADDRESS: '127.0.0.1:1' })
    .finished;

/** A worker that dies sooner, five times in a row, is given up. */
const steadyMs = 10_500;

async function killFiveTimes(model: SimulatedModel): Promise<void> {
  for (let kills = 1; kills <= 5; kills += 1) {
    const since = performance.now();
    const least = (kills * calls) / 8;
    await eventually(() => {
      const { completed, inFlight } = model.stats();
      const isDue = completed >= least && inFlight > 0 && performance.now() - since > steadyMs;
      return isDue && killService(home, 'worker') ? true : null;
    });
  }
}

beforeAll(async () => {
  const dataset = numbers.map((number) => ({
    uuid: `q-${number}`,
    question: questionOf(number),
    evaluator: {
      eval_func: 'eval_reference_answer_with_llm',
      eval_kwargs: { question: questionOf(number), reference_answer: `mellow ${number}` },
    },
  }));
  const lines = dataset.map((item) => `${JSON.stringify(item)}\n`);
  writeFileSync(join(home, 'lanterns.jsonl'), lines.join(''));
  writeFileSync(join(home, 'lantern.pdf'), lanternPaper());
  up = turnwise(['up'], { TURNWISE_HOME: home });
  await untilReady(up);
  await done(['store', 'add', join(home, 'lantern.pdf'), '--store', 'lanterns']);
  await run('undisturbed', {}, () => Promise.resolve());
  const faults = { '503': 0.1, '429': 0.1 };
  await run('killed', { latencyMs: 1500, jitter: 0.5, seed: 3, faults }, killFiveTimes);
});

afterAll(async () => {
  up.child.kill('SIGINT');
  await up.finished;
  await Promise.all(models.map((model) => model.close()));
});

const callsSchema = z.array(
  z.object({
    attempts: z.array(z.object({ end: z.string(), status: z.int().optional() })),
  }),
);

function attemptsIn(id: string): z.infer<typeof callsSchema>[number]['attempts'] {
  const lines = readFileSync(receipt(id), 'utf8').trimEnd().split('\n');
  return lines.flatMap((line) => {
    const { question } = JSON.parse(line) as { question?: { calls: unknown } };
    return callsSchema.parse(question?.calls ?? []).flatMap(({ attempts }) => attempts);
  });
}

describe('the receipt of a run whose worker was killed five times', () => {
  it('has the outcome hash of an undisturbed run', async () => {
    const sentence = /^verified: 24 questions, 96 calls, outcome [0-9a-f]{64}\n$/;
    const [undisturbed, killed] = await Promise.all([
      verify(receipt('undisturbed')),
      verify(receipt('killed')),
    ]);
    expect([undisturbed.status, killed.status]).toEqual([0, 0]);
    expect(killed.stdout).toMatch(sentence);
    expect(killed.stdout).toBe(undisturbed.stdout);
    expect(readFileSync(receipt('killed'))).not.toEqual(readFileSync(receipt('undisturbed')));
  });

  it('says which attempts were lost, which failed, and what was sent', () => {
    expect(new Set(attemptsIn('undisturbed'))).toEqual(
      new Set(attemptsIn('undisturbed').map(() => ({ end: 'replied' }))),
    );
    const killed = attemptsIn('killed');
    const ends = groupBy(killed, ({ end }) => end);
    expect([...ends.keys()].toSorted()).toEqual(['failed', 'lost', 'replied']);
    expect(ends.get('replied')).toHaveLength(calls);
    const statuses = new Set(ends.get('failed')?.map(({ status }) => status));
    expect([...statuses].toSorted()).toEqual([429, 503]);
  });

  it('is refused where one byte was changed', async () => {
    const bytes = readFileSync(receipt('killed'));
    const place = Math.floor(bytes.length / 2);
    bytes[place] = (bytes[place] ?? 0) ^ 1;
    const file = join(home, 'altered.jsonl');
    writeFileSync(file, bytes);
    expect(await verify(file)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/line \d+ .*is not as it was written/) as unknown,
    });
  });

  it('has nothing of keys, addresses and texts', () => {
    const text = readFileSync(receipt('killed'), 'utf8');
    for (const part of ['sk-of-nobody', '127.0.0.1', 'lantern ', 'mellow', 'SELECT', 'I add.'])
      expect(text).not.toContain(part);
  });
});
