import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resultSchema, type Result } from '../../domain/agent/question-result.js';
import { checkout, newHome, turnwise, type Running, untilReady } from '../support/command-line.js';
import { graphCommand } from '../support/fakes/graph-command.js';
import { startHttpEndpoint, type HttpEndpoint } from '../support/fakes/http-endpoint.js';

const paper = join(checkout, 'examples/papers/tables-first.pdf');
const home = newHome();
/** What the judge says, in order. */
const judgements: string[] = [];
let judge: HttpEndpoint;
let settings: Readonly<Record<string, string>>;
let up: Running;

beforeAll(async () => {
  judge = await startHttpEndpoint((response) => {
    const message = { role: 'assistant', content: judgements.shift() ?? 'nothing left to say' };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ model: 'a-judge', choices }));
  });
  settings = {
    TURNWISE_HOME: home,
    OPENAI_BASE_URL: `${judge.url}/v1`,
    TURNWISE_GRAPHRAG_COMMAND: graphCommand('obey'),
  };
  up = turnwise(['up'], settings);
  await untilReady(up);
  const ingested = await turnwise(['store', 'add', paper, '--store', 'papers'], settings).finished;
  expect(ingested).toMatchObject({ status: 0 });
});

afterAll(async () => {
  up.child.kill('SIGINT');
  await up.finished;
  await judge.close();
});

/** One question to its end, with the exit status of `turnwise ask`. */
async function ask(
  question: string,
  method: string,
): Promise<{ readonly status: number | null; readonly result: Result }> {
  const args = ['ask', question, '--store', 'papers', '--method', method, '--json'];
  const { status, stdout } = await turnwise(args, settings).finished;
  return { status, result: resultSchema.parse(JSON.parse(stdout)) };
}

it('a program answers, and no model is asked', async () => {
  const { status, result } = await ask('How many? Answer with: 20', 'two_stage_graph_rag');
  expect(status).toBe(0);
  expect(result).toMatchObject({ answer: '20', turns: 2, model: null, costUsd: null });
  expect(judge.received).toEqual([]);
});

it('a model asks the program again until it is content', async () => {
  judgements.push('Not a number.\n```txt\nAnswer with: 21\n```', '```txt\nCOMPLETED\n```');
  const { status, result } = await ask('How many? Answer with: some', 'iterative_graph_rag');
  expect(status).toBe(0);
  expect(result).toMatchObject({ answer: '21', turns: 3, model: 'a-judge' });
});

it('a program that fails ends the question for outside reasons, in its own words', async () => {
  const { status, result } = await ask('Fail with: no such index', 'two_stage_graph_rag');
  expect(status).toBe(1);
  expect(result).toMatchObject({
    answer: null,
    outcome: {
      kind: 'infra-error',
      failure: 'GraphProgramFailed',
      message: 'The program for graph queries ended with status 1: "no such index".',
    },
  });
});

it('without a program nothing begins', async () => {
  const { status, stderr } = await turnwise(
    ['ask', 'Why?', '--store', 'papers', '--method', 'two_stage_graph_rag'],
    { ...settings, TURNWISE_GRAPHRAG_COMMAND: '' },
  ).finished;
  expect(status).toBe(2);
  expect(stderr).toMatch(/^turnwise: two_stage_graph_rag needs a program .*\n$/);
});
