import { CommandLine } from '../../../../client/commands/shared/command-line.js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { registerAgreement } from '../../../../client/commands/scores/agreement.js';
import type { Score } from '../../../../domain/scoring/score.js';
import type { Verdict } from '../../../../domain/scoring/verdict.js';
import { captureOutput } from '../../../support/commands/capture-output.js';
import { exampleEnd, sampleKey } from '../../../support/runs/example-records.js';
import { runInFolder, type RunInFolder } from '../../../support/runs/run-in-folder.js';

const output = captureOutput();
afterEach(() => {
  vi.unstubAllEnvs();
});

const verdictOf = (rating: number | null): Verdict =>
  rating === null
    ? { kind: 'unscored', reason: 'judge-unreadable' }
    : { kind: 'scored', score: rating };

/** A judged run: a row an answer, a column a judge. */
async function runOf(
  rows: readonly (readonly (number | null)[])[],
  modelOf: (judge: number, answer: number) => string = (judge) => `judge-${judge}`,
  scorerOf: (answer: number) => string = () => 'eval_reference_answer_with_llm',
): Promise<RunInFolder> {
  const keys = rows.map((_, index) => sampleKey(`q${index + 1}`));
  const run = runInFolder(keys.map(({ uuid }) => ({ uuid, question: 'Why?' })));
  const ends = rows.map((ratings, index) => {
    const end = exampleEnd(keys[index] ?? sampleKey('q'));
    const first = ratings[0] ?? null;
    const score: Score = {
      ...end.score,
      scorer: scorerOf(index),
      score: first,
      verdict: verdictOf(first),
      judging: {
        prompts: '1',
        combination: 'majority',
        judges: ratings.map((rating, judge) => ({
          model: modelOf(judge, index),
          calls: 1,
          verdict: verdictOf(rating),
        })),
      },
    };
    return { ...end, score };
  });
  for (const end of ends) await run.runFiles.saveEnd(run.manifest.run, end.result, end, []);
  await run.runFiles.publish(run.manifest.run, ends);
  vi.stubEnv('TURNWISE_HOME', run.home);
  return run;
}

async function agreement(...args: readonly string[]): Promise<string> {
  const program = new CommandLine('turnwise');
  registerAgreement(program);
  await program.parseAsync(['agreement', 'a-run', ...args], { from: 'user' });
  return output.stdout;
}

const onlyScale = (json: string): unknown => {
  const { scales } = JSON.parse(json) as { readonly scales: readonly unknown[] };
  expect(scales).toHaveLength(1);
  return scales[0];
};

function labels({ home }: RunInFolder, values: readonly object[]): string {
  const path = join(home, 'labels.jsonl');
  writeFileSync(path, values.map((value) => `${JSON.stringify(value)}\n`).join(''));
  return path;
}

// Of four answers two judges agree on three, by habits that would make them agree on half.
const two = [
  [1, 1],
  [1, 0],
  [0, 0],
  [0, 0],
];

describe('the agreement of judges', () => {
  it('is told pair by pair and over all, with what each has rated', async () => {
    await runOf(two);
    const found = onlyScale(await agreement('--json'));
    expect(found).toMatchObject({
      judges: [
        { name: 'judge-0', rated: 4, missing: 0, mean: 0.5 },
        { name: 'judge-1', rated: 4, missing: 0, mean: 0.25 },
        { name: 'all judges' },
      ],
      agreement: {
        pairs: [
          { raters: ['judge-0', 'judge-1'], answers: 4, agreed: { share: 0.75 }, kappa: 0.5 },
        ],
        ratedByAll: 4,
      },
      calibration: null,
    });
  });

  it('counts nothing for an answer that a judge left unread', async () => {
    await runOf([...two, [null, 1]]);
    expect(onlyScale(await agreement('--json'))).toMatchObject({
      judges: [{ rated: 4, missing: 1 }, { rated: 5, missing: 0 }, {}],
      agreement: { pairs: [{ answers: 4 }], ratedByAll: 4 },
    });
  });

  it('is of each judge that was heard, where answers were judged by several in one place', async () => {
    await runOf(two, (judge, answer) => (judge === 0 && answer < 3 ? 'an-earlier-one' : 'a-judge'));
    expect(onlyScale(await agreement('--json'))).toMatchObject({
      judges: [
        { name: 'an-earlier-one', rated: 3 },
        { name: 'a-judge', rated: 1 },
        { name: 'a-judge (2)', rated: 4 },
        { name: 'all judges' },
      ],
      agreement: { pairs: [{ answers: 0, agreed: null }, { answers: 3 }, { answers: 1 }] },
    });
  });

  it('is a table for people', async () => {
    const run = await runOf(two);
    const file = labels(run, [
      { uuid: 'q1', label: true },
      { uuid: 'q2', label: false },
      { uuid: 'q3', label: 0 },
    ]);
    const text = await agreement('--labels', file);
    expect(text).toMatch(/judge-0 and judge-1 +4 +0\.750 +0\.301 – 0\.954 +0\.500/);
    expect(text).toMatch(/judge-0 +3 +0\.667 .* 0\.400 +0\.667 +0\.333 +\+0\.333/);
    expect(text).toContain(
      'judge-0: of 1 rated 0 the mean label is 0.000; of 2 rated 1 the mean label is 0.500',
    );
  });
});

describe('calibration against labels', () => {
  it('says how far each judge, and all together, are from what people found', async () => {
    const run = await runOf(two);
    const file = labels(run, [
      { uuid: 'q1', label: true },
      { uuid: 'q2', label: false },
      { uuid: 'q3', label: 0.5 },
    ]);
    expect(onlyScale(await agreement('--json', '--labels', file))).toMatchObject({
      calibration: [
        {
          raters: ['judge-0', 'labels'],
          answers: 3,
          meanLabel: 0.5,
          levels: [
            { rating: 0, answers: 1, meanLabel: 0.5 },
            { rating: 1, answers: 2, meanLabel: 0.5 },
          ],
        },
        { raters: ['judge-1', 'labels'], bias: 1 / 3 - 0.5 },
        { raters: ['all judges', 'labels'] },
      ],
    });
  });

  it.each<[string, readonly object[], RegExp]>([
    ['a label that is none', [{ uuid: 'q1', label: 'yes' }], /line 1: .*label/],
    ['a number beyond the scale', [{ uuid: 'q1', label: 2 }], /line 1: .*label/],
    ['an answer that is not there', [{ uuid: 'q9', label: 1 }], /line 1: there is no answer to q9/],
    [
      'an answer that has two',
      [
        { uuid: 'q1', label: 1 },
        { uuid: 'q1', label: 0 },
      ],
      /line 2: uuid q1 stands on line 1 already/,
    ],
    ['a file without any', [], /it holds no labels/],
  ])('names %s', async (_name, values, message) => {
    const run = await runOf(two);
    await expect(agreement('--labels', labels(run, values))).rejects.toThrow(message);
  });
});

describe('matches and grades of long answers', () => {
  // Two matches, then the grades 5 and 5, 3 and 2.
  const rows = [
    [1, 1],
    [0, 1],
    [1, 1],
    [0.5, 0.25],
  ];
  const judgedRun = () =>
    runOf(rows, undefined, (answer) =>
      answer < 2 ? 'eval_long_form_match' : 'eval_long_form_grade',
    );

  it('are compared apart, each on its scale', async () => {
    const run = await judgedRun();
    const file = labels(run, [
      { uuid: 'q1', label: true },
      { uuid: 'q3', label: 4 },
    ]);
    expect(JSON.parse(await agreement('--json', '--labels', file))).toMatchObject({
      scales: [
        {
          scale: 'unit',
          judges: [{ mean: 0.5 }, { mean: 1 }, {}],
          agreement: { pairs: [{ answers: 2, agreed: { share: 0.5 } }] },
          calibration: [{ meanLabel: 1, bias: 0 }, {}, {}],
        },
        {
          scale: 'one-to-five',
          judges: [{ mean: 4 }, { mean: 3.5 }, {}],
          agreement: { pairs: [{ answers: 2, agreed: { share: 0.5 } }] },
          calibration: [{ meanRating: 5, meanLabel: 4, bias: 1 }, {}, {}],
        },
      ],
    });
    output.stdout = '';
    expect(await agreement()).toMatch(/^judge +rated[^]*\n\njudge \(1 to 5\) +rated/m);
  });

  it.each([0, 5.5, true])('refuse %j as the label of a grade', async (label) => {
    const run = await judgedRun();
    await expect(agreement('--labels', labels(run, [{ uuid: 'q3', label }]))).rejects.toThrow(
      /line 1: label must be a number from 1 to 5, since the answer to q3 is graded/,
    );
  });
});

it('says what to do about a run that nobody judged', async () => {
  await runOf([]);
  await expect(agreement()).rejects.toThrow(/`turnwise score a-run --judge-model M`/);
});
