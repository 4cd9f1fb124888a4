import { describe, expect, it } from 'vitest';
import {
  reportBody,
  comparisonBody,
  evaluationBody,
} from '../../../../client/views/page/write-page.js';
import { questionsOf } from '../../../../client/views/page/run-questions.js';
import type { ReportedRun } from '../../../../client/runs/reported-run.js';
import { reportedRun } from '../../../support/runs/reported-run.js';
import { runAnswer } from '../../../support/runs/run-answer.js';
import { compareRuns } from '../../../../domain/runs/compare-runs.js';
import { exampleManifest } from '../../../support/runs/example-manifest.js';
import {
  compareCells,
  readEvaluation,
  type Evaluation,
} from '../../../../domain/evaluations/evaluation.js';
import { evaluationFileSchema } from '../../../../domain/evaluations/evaluation-file.js';
import { evaluationNameSchema } from '../../../../domain/ids.js';

const bodyOf = (...runs: readonly ReportedRun[]): string =>
  reportBody(
    runs.map((reported) => ({ reported, plots: [] })),
    null,
    { madeAt: '2026-01-02T03:04:05.000Z', remarks: [], questions: questionsOf(runs) },
  ).text;

/** The visible text, on one line. */
const words = (markup: string): string =>
  markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&quot;', '"');

describe('the page of a run', () => {
  it('has the score with its interval, the number of questions, and the missing scores', () => {
    const page = words(
      bodyOf(
        reportedRun([
          ...['a', 'b', 'c'].map((uuid) => runAnswer({ uuid, verdict: 1 })),
          runAnswer({ uuid: 'd', verdict: 0 }),
          runAnswer({ uuid: 'e', verdict: 'outside-failure', outcome: 'infra-error' }),
          runAnswer({ uuid: 'f', verdict: 'needs-judge' }),
        ]),
      ),
    );
    expect(page).toContain('0.750 mean score 0.750 over 4 scored, 95 % between 0.301 and 0.954');
    expect(page).toContain(
      '2 of 6 have no score and enter no mean (1 outside-failure, 1 needs-judge): the mean would be 0.500 if all of them were wrong, 0.833 if all were right.',
    );
  });

  it('has a score for each scale, and one for none of both', () => {
    const item = { evaluator: undefined, question: 'Which?', referenceAnswer: 'That.' };
    const body = bodyOf(
      reportedRun([
        runAnswer({ uuid: 'c', verdict: 0, item: { ...item, category: 'conclusive' } }),
        runAnswer({ uuid: 'i', verdict: 0.75, item: { ...item, category: 'interpretive' } }),
      ]),
    );
    const page = words(body);
    expect(body.match(/class="number"/g)).toHaveLength(2);
    expect(page).toContain('mean score 0.000 over 1 scored');
    expect(page).toContain('4.000 mean match score (1 to 5) 4.000 over 1 scored');
    expect(page).toMatch(/4 of 5 4\.000/);
    expect(page).not.toContain('0.375');
  });

  it('counts every outcome and every verdict', () => {
    const page = words(
      bodyOf(
        reportedRun([
          runAnswer({ uuid: 'a', verdict: 1 }),
          runAnswer({ uuid: 'b', verdict: 0, outcome: 'turn-limit' }),
          runAnswer({ uuid: 'c', verdict: null }),
        ]),
      ),
    );
    expect(page).toMatch(/By outcome .*answered 1 33 % turn-limit 1 33 % not-ended 1 33 %/);
    expect(page).toMatch(/By verdict .*scored 2 67 % not-ended 1 33 %/);
  });

  it('marks an unfinished run and a cancelled run', () => {
    const samples = [runAnswer({ uuid: 'a', verdict: 1 }), runAnswer({ uuid: 'b', verdict: null })];
    const running = bodyOf(
      reportedRun(samples, { manifest: { status: 'running', endedAt: null } }),
    );
    expect(words(running)).toContain('This run has not ended: 1 of 2 questions have ended');
    const cancelled = bodyOf(reportedRun(samples, { manifest: { status: 'cancelled' } }));
    expect(words(cancelled)).toContain('This run is stopped: cancelled; 1 of 2');
  });

  it('reports that nothing has a score', () => {
    const page = words(bodyOf(reportedRun([runAnswer({ uuid: 'a', verdict: 'no-evaluator' })])));
    expect(page).toContain('no score');
    expect(page).toContain('no score; 1 name no evaluator.');
  });

  it('has a row for every question and epoch, for readers without scripts', () => {
    const body = bodyOf(
      reportedRun(
        [
          runAnswer({ uuid: 'a', verdict: 0.5, item: { tags: ['text', 'single'] } }),
          runAnswer({ uuid: 'a', epoch: 2, verdict: 'needs-judge' }),
        ],
        { result: () => ({ costUsd: null, answer: 'forty two' }) },
      ),
    );
    expect(words(body)).toContain(
      'text, single forty two True answered ◐ partly right 0.500 4 0 ? 1.0 s',
    );
    expect(words(body)).toContain('epoch 2');
  });

  it('escapes what a model, a dataset and a provider wrote', () => {
    const hostile = '</script><img src=x onerror=alert(1)>';
    const body = bodyOf(
      reportedRun(
        [
          runAnswer({
            uuid: 'a',
            verdict: 0,
            item: {
              tags: [hostile],
              evaluator: { eval_func: hostile, eval_kwargs: { gold: hostile } },
            },
          }),
        ],
        { question: () => hostile, result: () => ({ answer: hostile, model: hostile }) },
      ),
    );
    expect(body).not.toContain('<img');
    expect(body).not.toContain('</script');
    expect(body.match(/&lt;img src=x/g)?.length).toBeGreaterThan(4);
  });

  it('shows only the host of the model address', () => {
    const [run] = [reportedRun([runAnswer({ uuid: 'a', verdict: 1 })])];
    const { config } = run.manifest;
    const baseUrl = 'https://user:secret@models.example/v1?key=secret';
    const body = bodyOf({
      ...run,
      manifest: { ...run.manifest, config: { ...config, model: { ...config.model, baseUrl } } },
    });
    expect(body).toContain('models.example');
    expect(body).not.toContain('secret');
  });
});

describe('the page of several runs', () => {
  const page = bodyOf(
    reportedRun([runAnswer({ uuid: 'a', verdict: 1 })], { run: 'one' }),
    reportedRun([runAnswer({ uuid: 'a', verdict: 0 })], { run: 'other' }),
  );

  it('has a heading for each run, and a column for each in the table of questions', () => {
    expect(page.match(/<h2[^>]*>[^<]*/g)?.map((heading) => heading.replace(/<[^>]*>/, ''))).toEqual(
      ['Verdict', 'Differences', 'one', 'other', 'Questions'],
    );
    expect(words(page)).toContain(
      'too few questions to decide, 1 where 6 are needed: other against one',
    );
    expect(page).toMatch(/<th scope="col">one<\/th><th scope="col">other<\/th>/);
    expect(words(page)).toContain('True ● right ○ wrong');
  });
});

it('skips no heading level', () => {
  for (const runs of [['one'], ['one', 'other']]) {
    const page = bodyOf(
      ...runs.map((run) => reportedRun([runAnswer({ uuid: 'a', verdict: 1 })], { run })),
    );
    const levels = [...page.matchAll(/<h(\d)/g)].map(([, level]) => Number(level));
    expect(levels[0]).toBe(1);
    for (const [at, level] of levels.slice(1).entries()) {
      expect(level - (levels[at] ?? 0)).toBeLessThanOrEqual(1);
    }
  }
});

const asCompared = ({ run, answers, scorer }: ReportedRun) => ({
  ...{ run, ended: true, scorer, manifest: exampleManifest(), answers },
});

function comparisonOf(baseline: ReportedRun, ...others: readonly ReportedRun[]): string {
  const comparison = compareRuns(asCompared(baseline), others.map(asCompared), ['tags']);
  return comparisonBody(comparison, {
    madeAt: '2026-01-02T03:04:05.000Z',
    remarks: [],
    questions: null,
  }).text;
}

const hostile = '<img src=x onerror=alert(1)>';

const baseline = reportedRun(
  [
    runAnswer({ uuid: 'same', verdict: 1 }),
    runAnswer({ uuid: 'lost', verdict: 'outside-failure', outcome: 'infra-error' }),
    runAnswer({ uuid: 'better', verdict: 0 }),
    runAnswer({ uuid: 'worse', verdict: 1 }),
  ],
  { run: 'before' },
);
const candidate = (run = 'after'): ReportedRun =>
  reportedRun(
    [
      runAnswer({ uuid: 'worse', verdict: 0 }),
      runAnswer({ uuid: 'better', verdict: 1 }),
      runAnswer({ uuid: 'lost', verdict: 1 }),
      runAnswer({ uuid: 'same', verdict: 1 }),
    ],
    { run, result: () => ({ answer: hostile }) },
  );

describe('the page of a comparison', () => {
  it('states the verdict in a sentence', () => {
    expect(comparisonOf(baseline, candidate())).toMatch(
      /<p class="verdict-words">too few questions to decide, 3 where 6 are needed: after against before/,
    );
  });

  it('compares several runs with the first, and mentions the correction of p', () => {
    const body = comparisonOf(baseline, candidate('one'), candidate('two'));
    expect(body.match(/<p class="verdict-words">/g)).toHaveLength(2);
    expect(body).toContain('corrected for 2 comparisons');
  });

  it('escapes what models wrote', () => {
    expect(comparisonOf(baseline, candidate())).not.toContain('<img');
  });
});

function evaluationOf(models: readonly string[]): Evaluation {
  const reading = readEvaluation(
    evaluationFileSchema.parse({
      datasets: [{ path: 'a.jsonl', label: hostile }],
      methods: ['classic_rag'],
      models,
      budget: { usd: 1 },
    }),
    evaluationNameSchema.parse('both'),
  );
  if (reading.kind === 'problem') throw new Error(reading.message);
  return reading.evaluation;
}

function pageOfEvaluation(models: readonly string[]): string {
  const evaluation = evaluationOf(models);
  const cells = evaluation.cells.map((cell, index) => {
    const samples = ['p', 'q', 'r'].map((uuid) => runAnswer({ uuid, verdict: index }));
    const run = reportedRun(samples, { run: `run-${index}` });
    return { cell, run, compared: { ...run, ended: true, manifest: exampleManifest() } };
  });
  return evaluationBody(
    { evaluation, comparison: compareCells(cells), spent: { usd: 0.25, tokens: 10 } },
    { madeAt: '2026-01-02T03:04:05.000Z', remarks: [], questions: null },
  ).text;
}

describe('the page of an evaluation', () => {
  it('has a row for each cell, and one for every two cells', () => {
    const body = pageOfEvaluation(['m', 'n']);
    expect(body).toContain('$0.25 of $1.00 spent');
    expect(body.match(/<\/th><td>classic_rag<\/td><td>[mn]<\/td>/g)).toHaveLength(2);
    expect(body).toContain(
      '<td>classic_rag with n</td><td>classic_rag with m</td><td>too few questions: 3 of 6</td><td class="n">3</td><td class="n">+1.000</td>',
    );
    expect(body).toContain('corrected for 1 comparison,');
  });

  it('has no section of differences where there is one cell, and escapes names', () => {
    const body = pageOfEvaluation(['m']);
    expect(body).not.toContain('id="differences"');
    expect(body).not.toContain(hostile);
    expect(body).toContain('&lt;img');
  });
});
