import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { paperId } from '../../domain/stores/paper-rows.js';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import { newHome, turnwise, type Running, untilReady } from '../support/command-line.js';
import { lanternPaper } from '../support/stores/example-papers.js';

const tokensPerPicture = 25_000;
const questions = Array.from({ length: 100 }, (_, number) => `What does page ${number} show?`);
const paper = paperId('Lantern: Counting Fireflies with Cheap Cameras');
/** Two pictures each, so that a question bills about 50,000 tokens for them. */
const script = {
  questions: questions.map((question) => ({
    question,
    steps: [1, 2].map((page) => ({
      thought: `I look at page ${page}.`,
      action: `ViewImage(paper_id="${paper}", page_number=${page}, bounding_box=[])`,
    })),
    answer: { thought: 'I have seen enough.', value: 'fireflies' },
  })),
};

const home = newHome();
let model: SimulatedModel;
let up: Running;

beforeAll(async () => {
  model = await startSimulatedModel({ script, tokensPerPicture, latencyMs: 50 });
  const items = questions.map((question, number) => ({
    uuid: `q-${number}`,
    question,
    evaluator: { eval_func: 'eval_string_exact_match', eval_kwargs: { gold: 'fireflies' } },
  }));
  writeFileSync(
    join(home, 'pictures.jsonl'),
    items.map((item) => `${JSON.stringify(item)}\n`).join(''),
  );
  writeFileSync(join(home, 'lantern.pdf'), lanternPaper());
  up = turnwise(['up'], { TURNWISE_HOME: home });
  await untilReady(up);
  const ingested = turnwise(['store', 'add', join(home, 'lantern.pdf'), '--store', 'lanterns'], {
    TURNWISE_HOME: home,
  });
  expect((await ingested.finished).status).toBe(0);
});

afterAll(async () => {
  up.child.kill('SIGINT');
  await up.finished;
  await model.close();
});

const billed = (): number => {
  const { promptTokens, completionTokens } = model.stats();
  return promptTokens + completionTokens;
};

const ask = (budgetTokens: number) =>
  turnwise(
    [
      ...['run', join(home, 'pictures.jsonl'), '--store', 'lanterns', '--run', 'pictures'],
      ...['--method', 'iterative_sym_rag', '--concurrency', '100', '--yes', '--no-probe'],
      ...['--budget-tokens', String(budgetTokens)],
    ],
    { TURNWISE_HOME: home, OPENAI_BASE_URL: model.url },
  ).finished;

describe('a run of 100 questions in flight whose pictures are billed 25,000 tokens each', () => {
  it('uses its budget, and never exceeds it', async () => {
    const cap = 1_000_000;
    const { status, stderr } = await ask(cap);
    expect(status, stderr).toBe(4);
    expect(stderr).toContain('the run’s budget is spent');
    expect(billed()).toBeLessThanOrEqual(cap);
    // What is left does not cover the calls that wait.
    expect(billed()).toBeGreaterThan(0.8 * cap);
    // Its pictures, beside the text of the first turns.
    expect(billed()).toBeGreaterThan(questions.length * 2000 + 10 * tokensPerPicture);
  });
});
