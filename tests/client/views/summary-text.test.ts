import { describe, expect, it } from 'vitest';
import { noAmount, type Amount } from '../../../domain/budget/amount.js';
import { openLedger, type Ledger } from '../../../domain/budget/ledger.js';
import { runProgress } from '../../../domain/runs/run-progress.js';
import {
  emptyRun,
  recordStarted,
  recordWaiting,
  type RunState,
  type WaitingQuestion,
} from '../../../domain/runs/run-state.js';
import { holdText, summaryText } from '../../../client/views/run-text.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import { sampleKey } from '../../support/runs/example-records.js';

const { run } = exampleManifest();
const started = recordStarted({ ...emptyRun, samples: 40 }, [sampleKey('a')]);
const waits = (reason: WaitingQuestion['reason']): RunState =>
  recordWaiting(started, {
    ...sampleKey('a'),
    reason,
    message: 'why',
    until: null,
    need: null,
    failure: reason === 'outage' ? 'ModelUnavailable' : null,
  });
const needing = (need: Amount, ledger: Ledger): RunState => {
  const held = waits('budget');
  return { ...held, waiting: held.waiting.map((each) => ({ ...each, need })), ledger };
};
const budget = openLedger({ usd: 2, tokens: 1000 }, { usd: 1.9, tokens: 100 });

describe('summaryText', () => {
  it('shows the limits of the run', () => {
    const state = { ...waits('budget'), ledger: budget, deadline: 0 };
    expect(summaryText(runProgress(state, 8).summary)).toBe(
      '0 of 40 questions ended · 1 in flight, 1 of them waiting · at most 8 at once · $1.90 of $2.00 spent · 100 of 1,000 tokens · until 1970-01-01T00:00:00.000Z',
    );
  });

  it('leaves out limits that are not set', () => {
    expect(summaryText(runProgress(started, 8).summary)).toBe(
      '0 of 40 questions ended · 1 in flight · at most 8 at once',
    );
  });
});

describe('holdText', () => {
  it.each<[string, RunState, RegExp | null]>([
    ['it does', started, null],
    ['paused', { ...started, paused: true }, /turnwise resume a-run/],
    ['no credit', waits('quota'), /no credit left \(why\).*turnwise resume a-run/],
    ['budget', { ...waits('budget'), ledger: budget }, /turnwise tune a-run --budget-usd 4`/],
    [
      'a budget that is far too small',
      needing({ usd: 0, tokens: 12_345 }, openLedger({ usd: null, tokens: 1 }, noAmount)),
      /turnwise tune a-run --budget-tokens 12400`/,
    ],
    [
      'a budget of cents',
      needing({ usd: 0.123451, tokens: 9 }, openLedger({ usd: 0.01, tokens: null }, noAmount)),
      /turnwise tune a-run --budget-usd 0\.124`/,
    ],
    [
      'an outage',
      { ...waits('outage'), holdAfter: 1 },
      /^a question waits: why\. It goes on by itself .*turnwise resume a-run/,
    ],
    [
      'equal failures',
      { ...started, failedInRow: { failure: 'ModelRejectedRequest', message: 'why.', count: 5 } },
      /^held: 5 questions in a row ended with the same failure: why\. .*turnwise retry a-run --outcome infra-error/,
    ],
    [
      'a reason of the set-up',
      {
        ...started,
        failedInRow: {
          ...{ failure: 'ContextOverflow', message: 'too long', count: 5 },
          outcome: 'context-overflow',
        },
      },
      /^held: the first 5 questions all ended as context-overflow: too long\. .*turnwise cancel a-run.*turnwise resume a-run/,
    ],
    ['ending', { ...started, stopping: { kind: 'deadline' } }, /ending/],
  ])('%s', (_name, state, text) => {
    const hold = holdText(run, runProgress(state, 8));
    if (text === null) expect(hold).toBeNull();
    else expect(hold).toMatch(text);
  });
});
