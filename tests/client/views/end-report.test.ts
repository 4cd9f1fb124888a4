import { expect, it } from 'vitest';
import {
  endReport,
  questionReport,
  retryLine,
  type EndedPart,
} from '../../../client/views/end-report.js';
import { runIdSchema } from '../../../domain/ids.js';
import { endedQuestion } from '../../../domain/runs/question-end.js';
import type { Outcome } from '../../../domain/agent/question-result.js';
import { scoreLedger, type ScoreLedger } from '../../../domain/scoring/score-ledger.js';
import { addEnded, noTotals } from '../../../domain/runs/run-totals.js';
import { exampleEnd, sampleKey } from '../../support/runs/example-records.js';
import { runAnswer } from '../../support/runs/run-answer.js';

const refused: Outcome = { kind: 'infra-error', failure: 'ModelRefusedKey', message: 'HTTP 401' };

/** A run with these outcomes and scores. */
function ended(
  samples: number,
  ends: readonly { readonly outcome: Outcome; readonly score: number | null }[],
): EndedPart & { readonly ledger: ScoreLedger } {
  const records = ends.map(({ outcome, score }, index) => {
    const { result, score: unscored } = exampleEnd(sampleKey(`q-${index}`), outcome);
    return {
      result: { ...result, turns: 3, model: 'a-model-2026' },
      score: { ...unscored, score },
    };
  });
  return {
    samples,
    totals: records.map(endedQuestion).reduce(addEnded, noTotals),
    results: records.map(({ result }) => result),
    price: null,
    ledger: scoreLedger(
      Array.from({ length: samples }, (_, index) =>
        runAnswer({
          uuid: `q-${index}`,
          verdict: verdictOf(ends[index]),
        }),
      ),
    ),
  };
}

function verdictOf(end: { readonly score: number | null } | undefined) {
  return end === undefined ? null : (end.score ?? ('outside-failure' as const));
}

it('starts with the number of answered questions', () => {
  const answered = { outcome: { kind: 'answered' }, score: 1 } as const;
  const lines = endReport(ended(2, [answered, { ...answered, score: 0 }])).split('\n');
  expect(lines.slice(0, 2)).toEqual([
    '2 of 2 questions answered',
    'mean score 0.500 over 2 scored, 95 % between 0.095 and 0.905 (by 2 questions)',
  ]);
  expect(lines.at(-1)).toBe('answered by a-model-2026');
});

it('lists the other outcomes, and the reasons of outside failures, which enter no mean', () => {
  const report = endReport(
    ended(6, [
      { outcome: { kind: 'answered' }, score: 1 },
      { outcome: { kind: 'turn-limit', maxTurns: 20 }, score: 0 },
      { outcome: refused, score: null },
      { outcome: refused, score: null },
    ]),
  );
  expect(report.split('\n')).toEqual([
    '1 of 6 questions answered, 1 turn-limit, 2 infra-error, 2 not ended',
    'mean score 0.500 over 2 scored, 95 % between 0.095 and 0.905 (by 2 questions)',
    '4 of 6 have no score and enter no mean (2 outside-failure, 2 not-ended): the mean would be 0.167 if all of them were wrong, 0.833 if all were right',
    expect.stringMatching(/^12 turns · 0 model calls · /),
    'answered by a-model-2026',
    '2 ended for outside reasons and enter no mean:',
    '  2 × ModelRefusedKey: HTTP 401',
  ]);
});

it('shows no mean if nothing could be scored', () => {
  const report = endReport(ended(1, [{ outcome: { kind: 'answered' }, score: null }]));
  expect(report).toContain('no score\n1 of 1 have no score');
});

it('groups figures by thousands and counts repeated calls', () => {
  const { totals, ...rest } = ended(1, []);
  const usage = {
    promptTokens: 245_024,
    completionTokens: 2627,
    cachedTokens: 9,
    cacheWrittenTokens: 0,
    reasoningTokens: 0,
    calls: 1046,
    retries: 3,
    cacheHits: 0,
    lostTokens: 0,
  };
  expect(questionReport({ ...rest, totals: { ...totals, turns: 46, usage } })).toBe(
    '46 turns · 1,046 model calls (3 repeated) · 245,024 prompt tokens (9 cached: 0.0 %) · 2,627 completion tokens · $0.00',
  );
  const half = { ...usage, cachedTokens: 122_512 };
  const price = { input: 2, output: 8, cachedInput: 1 };
  expect(questionReport({ ...rest, price, totals: { ...totals, usage: half } })).toContain(
    '245,024 prompt tokens (122,512 cached: 50 %, which saves $0.12)',
  );
  const lost = { ...usage, lostTokens: 1234 };
  expect(questionReport({ ...rest, totals: { ...totals, turns: 46, usage: lost } })).toContain(
    '2,627 completion tokens · up to 1,234 tokens of calls without a reply · $0.00',
  );
});

it('names the command that asks questions again that ended for outside reasons', () => {
  const run = runIdSchema.parse('first');
  const failed = ended(2, [
    { outcome: { kind: 'answered' }, score: 1 },
    { outcome: refused, score: null },
  ]);
  expect(retryLine(run, failed.totals)).toEqual([
    'once the reason is mended, `turnwise retry first` asks them again',
  ]);
  expect(retryLine(run, noTotals)).toEqual([]);
});
