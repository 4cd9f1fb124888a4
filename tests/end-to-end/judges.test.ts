import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startSimulatedModel, type SimulatedModel } from '../../simulator/simulated-model.js';
import type { SimulatorSettings } from '../../simulator/simulator-options.js';
import { killService } from '../../bench/chaos/command-line.js';
import { scoreSchema, type Score } from '../../domain/scoring/score.js';
import {
  eventually,
  jsonLines,
  newHome,
  turnwise,
  type Running,
  untilReady,
} from '../support/command-line.js';
import { filesIn } from '../support/files-in.js';
import { lanternPaper } from '../support/stores/example-papers.js';

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
  await untilReady(up);
  await done(['store', 'add', join(home, 'lantern.pdf'), '--store', 'lanterns']);
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
  const command = turnwise(args, {
    ...{ TURNWISE_HOME: home, OPENAI_BASE_URL: url, TURNWISE_BATCH_PAUSE: '0.2' },
  });
  const { status, stdout, stderr } = await command.finished;
  expect(statuses, stderr).toContain(status);
  return stdout;
}

const runArguments = (run: string, judge: string | null, concurrency = 40): readonly string[] => [
  ...['run', join(home, 'lanterns.jsonl'), '--store', 'lanterns', '--run', run],
  ...(judge === null ? [] : ['--judge-model', judge]),
  ...['--concurrency', String(concurrency), '--model-attempts', '2', '--yes', '--no-probe'],
];

const scoresOf = (run: string): ReadonlyMap<string, Score> =>
  new Map(
    jsonLines(join(home, 'runs', run, 'scores.jsonl'))
      .map((line) => scoreSchema.parse(line))
      .map((score) => [score.uuid, score]),
  );

const ledgerSchema = z.object({
  ledger: z.object({
    headlines: z.tuple([
      z.object({
        samples: z.int(),
        scored: z.int(),
        unresolved: z.int(),
        score: z.object({ mean: z.number() }).nullable(),
        bounds: z.object({ worst: z.number(), best: z.number() }),
      }),
    ]),
    verdicts: z.record(z.string(), z.int()),
  }),
});

const ledgerOf = async (run: string): Promise<z.infer<typeof ledgerSchema>['ledger']> =>
  ledgerSchema.parse(JSON.parse(await done(['score', run, '--json']))).ledger;

const mean = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0) / values.length;

describe('a run of which a tenth of the questions fail and a twentieth of the judgements are unreadable', () => {
  beforeAll(async () => {
    await done(runArguments('undisturbed', 'a-judge'), (await model({})).url);
    const faulty = await model({ failingQuestions: 0.1, judgeUnreadable: 0.05, seed: 5 });
    await done([...runArguments('faulty', 'a-judge'), '--on-failure', 'end'], faulty.url, [1]);
  });

  it('has the headline of the questions that could be scored, which no failure has moved', async () => {
    const undisturbed = scoresOf('undisturbed');
    const found = [...scoresOf('faulty').values()].filter(({ score }) => score !== null);
    expect(found.map(({ uuid, score }) => [uuid, score])).toEqual(
      found.map(({ uuid }) => [uuid, undisturbed.get(uuid)?.score]),
    );
    const {
      headlines: [headline],
    } = await ledgerOf('faulty');
    expect(headline.score?.mean).toBeCloseTo(mean(found.map(({ score }) => score ?? 0)), 12);
    expect((await ledgerOf('undisturbed')).headlines[0].score?.mean).toBe(0.75);
    expect(headline.bounds.worst).toBeLessThanOrEqual(0.75);
    expect(headline.bounds.best).toBeGreaterThanOrEqual(0.75);
  });

  it('says how many are missing, and why', async () => {
    const {
      headlines: [headline],
      verdicts,
    } = await ledgerOf('faulty');
    const { 'outside-failure': failed = 0, 'judge-unreadable': unread = 0, ...others } = verdicts;
    expect(Math.min(failed, unread)).toBeGreaterThan(0);
    expect(others).toEqual({ scored: headline.scored });
    expect(headline).toMatchObject({ samples: 60, unresolved: failed + unread });
    expect(headline.scored).toBe(60 - failed - unread);
    expect(await done(['score', 'faulty'])).toContain(
      `${failed + unread} of 60 have no score and enter no mean (${failed} outside-failure, ${unread} judge-unreadable)`,
    );
  });
});

describe('answers that are judged after their run', () => {
  let asked: SimulatedModel;
  beforeAll(async () => {
    asked = await model({ latencyMs: 20 });
    await done(runArguments('plain', null), asked.url);
  });

  const judgedBy = async (run: string, ...judges: readonly string[]): Promise<number> => {
    const before = asked.stats().received;
    const flags = judges.flatMap((judge) => ['--judge-model', judge]);
    await done(['score', run, ...flags], asked.url);
    return asked.stats().received - before;
  };

  it('are judged once by each judge, whatever panel it sits on', async () => {
    expect((await ledgerOf('plain')).verdicts).toEqual({ 'needs-judge': 60 });
    expect(await judgedBy('plain', 'a-judge')).toBe(60);
    expect((await ledgerOf('plain')).headlines[0].score?.mean).toBe(0.75);
    const once = filesIn(join(home, 'runs', 'plain'));
    expect(await judgedBy('plain', 'a-judge')).toBe(0);
    expect(await judgedBy('plain')).toBe(0);
    await done(['score', 'plain', '--by', 'tags', '--json']);
    expect(filesIn(join(home, 'runs', 'plain'))).toEqual(once);
    expect(await judgedBy('plain', 'a-judge', 'another', 'a-third')).toBe(120);
    expect(await judgedBy('plain', 'another')).toBe(0);
  });

  it('are judged in their run though its worker is killed, and again only those under way', async () => {
    const slow = await model({ latencyMs: 200 });
    const atATime = 8;
    const run = done(runArguments('killed', 'a-judge', atATime), slow.url);
    await eventually(() => (slow.stats().completed >= numbers.length ? true : null));
    expect(killService(home, 'worker')).toBe(true);
    await run;
    expect((await ledgerOf('killed')).verdicts).toEqual({ scored: numbers.length });
    expect(slow.stats().distinctCompleted).toBe(2 * numbers.length);
    expect(slow.stats().received - 2 * numbers.length).toBeLessThanOrEqual(atATime);
  });

  it('need nobody who has judged them in their run', async () => {
    expect(await judgedBy('undisturbed', 'a-judge')).toBe(0);
  });
});

describe('predictions made elsewhere that need a judge', () => {
  const files = (name: string, predictions: readonly object[]): readonly string[] => {
    const path = join(home, name);
    writeFileSync(path, predictions.map((each) => `${JSON.stringify(each)}\n`).join(''));
    return ['--predictions', path, '--gold', join(home, 'lanterns.jsonl')];
  };
  const predictions = numbers.map((number) => ({
    uuid: `q-${number}`,
    answer: `mellow ${number}`,
  }));

  it('are judged once, also where the command is killed meanwhile', async () => {
    const slow = await model({ latencyMs: 400 });
    const flags = [...files('p.jsonl', predictions), '--judge-model', 'a-judge'];
    const args = ['score', ...flags, '--concurrency', '10', '--json'];
    const killed = turnwise(args, { TURNWISE_HOME: home, OPENAI_BASE_URL: slow.url });
    await eventually(() => (slow.stats().completed >= 10 ? true : null));
    killed.child.kill('SIGKILL');
    await killed.finished;
    const { ledger } = ledgerSchema.parse(JSON.parse(await done(args, slow.url)));
    expect(ledger.verdicts).toEqual({ scored: 60 });
    expect(slow.stats()).toMatchObject({ received: 60, distinctCompleted: 60 });
    await done(args, slow.url);
    expect(slow.stats().received).toBe(60);
  });

  it('are judged in batches, and asked about no more', async () => {
    const asked = await model({ seed: 5, batchMs: 300 });
    const flags = [...files('b.jsonl', predictions), '--judge-model', 'in-batches', '--batch'];
    const { ledger } = ledgerSchema.parse(
      JSON.parse(await done(['score', ...flags, '--json'], asked.url)),
    );
    expect(ledger.verdicts).toEqual({ scored: 60 });
    const { completed, promptTokens, batchedPromptTokens } = asked.stats();
    expect(completed).toBe(60);
    expect(batchedPromptTokens).toBe(promptTokens);
    await done(['score', ...flags], asked.url);
    expect(asked.stats().completed).toBe(60);
  });

  it('are named where they are flawed before a judge is paid', async () => {
    const idle = await model({});
    const judged = ['--judge-model', 'a-judge'];
    for (const flawed of [
      { uuid: 'q-1', answer: 'twice' },
      { uuid: 'nobody-asked', answer: 'mellow' },
    ]) {
      const args = ['score', ...files('flawed.jsonl', [...predictions, flawed]), ...judged];
      const { status, stderr } = await turnwise(args, {
        TURNWISE_HOME: home,
        OPENAI_BASE_URL: idle.url,
      }).finished;
      expect({ status, named: stderr.includes(flawed.uuid) }).toEqual({ status: 2, named: true });
    }
    expect(idle.stats().received).toBe(0);
  });

  it('are not judged beyond a budget', async () => {
    const asked = await model({ seed: 9 });
    const flags = [...files('q.jsonl', predictions), '--judge-model', 'dear'];
    const args = ['score', ...flags, '--budget-tokens', '9000', '--json'];
    const { ledger } = ledgerSchema.parse(JSON.parse(await done(args, asked.url)));
    const { promptTokens, completionTokens, completed } = asked.stats();
    expect(completed).toBeGreaterThan(0);
    expect(promptTokens + completionTokens).toBeLessThanOrEqual(9000);
    expect(ledger.verdicts).toEqual({ scored: completed, 'judge-unavailable': 60 - completed });
  });
});

describe('long answers whose judge is out of reach for some and rambles about others', () => {
  const golds = numbers.map((number) => ({
    uuid: `l-${number}`,
    question: `What is known of lantern ${number}?`,
    category: number % 2 === 0 ? 'conclusive' : 'interpretive',
    referenceAnswer: `Lantern ${number} is called mellow`,
  }));
  const predictions = numbers.map((number) => ({
    uuid: `l-${number}`,
    answer: number === 0 ? '' : `It is lantern ${number}, which is called mellow.`,
  }));
  const write = (name: string, lines: readonly object[]): string => {
    const path = join(home, name);
    writeFileSync(path, lines.map((each) => `${JSON.stringify(each)}\n`).join(''));
    return path;
  };
  const scoreOnce = async (url: string, ...flags: readonly string[]) => {
    const out = join(home, 'long-scores.jsonl');
    const files = [
      '--predictions',
      write('l.jsonl', predictions),
      '--gold',
      write('g.jsonl', golds),
    ];
    await done(['score', ...files, '--judge-model', 'a-judge', '--out', out, ...flags], url);
    const scores = jsonLines(out).map((line) => scoreSchema.parse(line));
    const reasons = scores.map(({ verdict }) =>
      verdict.kind === 'scored' ? 'scored' : verdict.reason,
    );
    return {
      scores,
      countOf: (reason: string) => reasons.filter((each) => each === reason).length,
    };
  };

  it('are scored the second time where they were not, and no score has changed', async () => {
    const faulty = await model({ judgeUnreadable: 0.2, seed: 4 });
    const first = await scoreOnce(faulty.url, '--budget-tokens', '20000');
    const down = first.countOf('judge-unavailable');
    const rambled = first.countOf('judge-unreadable');
    expect(Math.min(down, rambled)).toBeGreaterThan(0);
    expect(first.countOf('no-answer')).toBe(1);
    expect(first.countOf('scored')).toBe(60 - 1 - down - rambled);
    expect(new Set(first.scores.flatMap(({ score }) => score ?? []))).toEqual(new Set([1]));

    const healthy = await model({});
    const second = await scoreOnce(healthy.url);
    expect(healthy.stats().received).toBe(down);
    expect(second.countOf('scored')).toBe(first.countOf('scored') + down);
    expect(second.countOf('judge-unreadable')).toBe(rambled);

    const third = await scoreOnce(healthy.url, '--judge-empty');
    expect(healthy.stats().received).toBe(down);
    expect(third.scores[0]).toMatchObject({ score: 0, scorer: 'eval_long_form_match' });
  });
});
