import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  startSimulatedModel,
  type SimulatedModel,
} from '../../client/simulated-model/simulated-model.js';
import type { SimulatorSettings } from '../../client/simulated-model/simulator-options.js';
import { scoreSchema, type Score } from '../../domain/questions/score.js';
import { eventually, jsonLines, newHome, turnwise, type Running } from '../support/command-line.js';
import { lanternPaper } from '../support/example-papers.js';

/** Every fourth is answered wrongly. */
const numbers = Array.from({ length: 60 }, (_, index) => index);
const questionOf = (number: number): string => `What is the name of lantern ${number}?`;
const script: SimulatorSettings['script'] = {
  questions: numbers.map((number) => ({
    question: questionOf(number),
    steps: [],
    answer: { thought: 'I know that.', value: number % 4 === 0 ? 'a moth' : `mellow ${number}` },
  })),
};
const dataset = numbers.map((number) => ({
  uuid: `q-${number}`,
  question: questionOf(number),
  evaluator: {
    eval_func: 'eval_reference_answer_with_llm',
    eval_kwargs: { question: questionOf(number), reference_answer: `mellow ${number}` },
  },
}));

const home = newHome();
let models: readonly SimulatedModel[] = [];
let up: Running;

beforeAll(async () => {
  const file = join(home, 'lanterns.jsonl');
  writeFileSync(file, dataset.map((item) => `${JSON.stringify(item)}\n`).join(''));
  writeFileSync(join(home, 'lantern.pdf'), lanternPaper());
  up = turnwise(['up'], { TURNWISE_HOME: home });
  await eventually(() => (up.output().includes('Ctrl-C stops them') ? true : null));
  await done(['ingest', join(home, 'lantern.pdf'), '--store', 'lanterns']);
});

afterAll(async () => {
  up.child.kill('SIGINT');
  await up.finished;
  await Promise.all(models.map((model) => model.close()));
});

async function model(settings: SimulatorSettings): Promise<SimulatedModel> {
  const started = await startSimulatedModel({ script, ...settings });
  models = [...models, started];
  return started;
}

/** What a command writes that ends with one of `statuses`. */
async function done(
  args: readonly string[],
  url = 'http://127.0.0.1:9/v1',
  statuses: readonly number[] = [0],
): Promise<string> {
  const command = turnwise(args, { TURNWISE_HOME: home, OPENAI_BASE_URL: url });
  const { status, stdout, stderr } = await command.finished;
  expect(statuses, stderr).toContain(status);
  return stdout;
}

const runArguments = (run: string): readonly string[] => [
  ...['run', join(home, 'lanterns.jsonl'), '--store', 'lanterns', '--run', run],
  ...['--judge-model', 'a-judge', '--concurrency', '40', '--model-attempts', '2', '--yes'],
];

const scoresOf = (run: string): ReadonlyMap<string, Score> =>
  new Map(
    jsonLines(join(home, 'runs', run, 'scores.jsonl'))
      .map((line) => scoreSchema.parse(line))
      .map((score) => [score.uuid, score]),
  );

const ledgerSchema = z.object({
  ledger: z.object({
    headline: z.object({
      samples: z.int(),
      scored: z.int(),
      unresolved: z.int(),
      score: z.object({ mean: z.number() }),
      bounds: z.object({ worst: z.number(), best: z.number() }),
    }),
    verdicts: z.record(z.string(), z.int()),
  }),
});

const ledgerOf = async (run: string): Promise<z.infer<typeof ledgerSchema>['ledger']> =>
  ledgerSchema.parse(JSON.parse(await done(['score', run, '--json']))).ledger;

const mean = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0) / values.length;

describe('a run of which a tenth of the questions fail and a twentieth of the judgements are unreadable', () => {
  beforeAll(async () => {
    await done(runArguments('calm'), (await model({})).url);
    const stormy = await model({ failingQuestions: 0.1, judgeUnreadable: 0.05, seed: 5 });
    await done(runArguments('stormy'), stormy.url, [1]);
  });

  it('has the headline of the questions that could be scored, which no failure has moved', async () => {
    const calm = scoresOf('calm');
    const found = [...scoresOf('stormy').values()].filter(({ score }) => score !== null);
    expect(found.map(({ uuid, score }) => [uuid, score])).toEqual(
      found.map(({ uuid }) => [uuid, calm.get(uuid)?.score]),
    );
    const { headline } = await ledgerOf('stormy');
    expect(headline.score.mean).toBeCloseTo(mean(found.map(({ score }) => score ?? 0)), 12);
    const undisturbed = (await ledgerOf('calm')).headline.score.mean;
    expect(undisturbed).toBe(0.75);
    expect(headline.bounds.worst).toBeLessThanOrEqual(undisturbed);
    expect(headline.bounds.best).toBeGreaterThanOrEqual(undisturbed);
  });

  it('says how many are missing, and why', async () => {
    const { headline, verdicts } = await ledgerOf('stormy');
    const { 'outside-failure': failed = 0, 'judge-unreadable': unread = 0, ...others } = verdicts;
    expect(Math.min(failed, unread)).toBeGreaterThan(0);
    expect(others).toEqual({ scored: headline.scored });
    expect(headline).toMatchObject({ samples: 60, unresolved: failed + unread });
    expect(headline.scored).toBe(60 - failed - unread);
    expect(await done(['score', 'stormy'])).toContain(
      `${failed + unread} of 60 have no score and enter no mean (${failed} outside-failure, ${unread} judge-unreadable)`,
    );
  });
});
