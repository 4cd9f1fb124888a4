import { describe, expect, it } from 'vitest';
import { compareRuns } from '../../../../domain/runs/compare-runs.js';
import { comparisonBody } from '../../../../client/views/page/write-page.js';
import type { ReportedRun } from '../../../../client/runs/reported-run.js';
import { exampleManifest } from '../../../support/runs/example-manifest.js';
import { reportedRun } from '../../../support/runs/reported-run.js';
import { runAnswer } from '../../../support/runs/run-answer.js';

const asCompared = ({ run, answers, scorer }: ReportedRun) => ({
  ...{ run, ended: true, scorer, manifest: exampleManifest(), answers },
});

function bodyOf(baseline: ReportedRun, ...others: readonly ReportedRun[]): string {
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
    expect(bodyOf(baseline, candidate())).toMatch(
      /<p class="verdict-words">too few questions to decide, 3 where 6 are needed: after against before/,
    );
  });

  it('compares several runs with the first, and mentions the correction of p', () => {
    const body = bodyOf(baseline, candidate('one'), candidate('two'));
    expect(body.match(/<p class="verdict-words">/g)).toHaveLength(2);
    expect(body).toContain('corrected for 2 comparisons');
  });

  it('escapes what models wrote', () => {
    expect(bodyOf(baseline, candidate())).not.toContain('<img');
  });
});
