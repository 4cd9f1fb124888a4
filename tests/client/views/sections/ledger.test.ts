import { expect, it } from 'vitest';
import { headlineLines, ledgerSection } from '../../../../client/views/sections/ledger.js';
import { sectionText } from '../../../support/commands/section-text.js';
import { scoreLedger } from '../../../../domain/scoring/score-ledger.js';
import { runAnswer } from '../../../support/runs/run-answer.js';

it('shows the interval of a score, the missing scores, and the bounds that they leave', () => {
  const ledger = scoreLedger([
    runAnswer({ uuid: 'a', verdict: 1 }),
    runAnswer({ uuid: 'b', verdict: 0 }),
    runAnswer({ uuid: 'c', verdict: 'needs-judge' }),
    runAnswer({ uuid: 'd', verdict: null }),
    runAnswer({ uuid: 'e', verdict: 'no-evaluator' }),
  ]);
  expect(headlineLines(ledger)).toEqual([
    'mean score 0.500 over 2 scored, 95 % between 0.095 and 0.905 (by 2 questions); 1 name no evaluator',
    '2 of 4 have no score and enter no mean (1 needs-judge, 1 not-ended): the mean would be 0.250 if all of them were wrong, 0.750 if all were right',
  ]);
});

it('names the number of clusters of a cluster-robust interval', () => {
  const ledger = scoreLedger([
    runAnswer({ uuid: 'a', verdict: 1, paper: 'p' }),
    runAnswer({ uuid: 'b', verdict: 1, paper: 'p' }),
    runAnswer({ uuid: 'c', verdict: 0, paper: 'q' }),
  ]);
  expect(headlineLines(ledger)[0]).toMatch(/^mean score 0\.667 .* \(by 2 papers\)$/);
});

it('shows a table for each field with several groups, and one of epochs', () => {
  const tagged = (uuid: string, epoch: number, verdict: number | null, ...tags: string[]) =>
    runAnswer({ uuid, epoch, verdict, item: { tags } });
  const ledger = scoreLedger([
    tagged('a', 1, 1, 'text'),
    tagged('a', 2, 0, 'text'),
    tagged('b', 1, 1, 'text', 'table'),
    tagged('b', 2, null, 'text', 'table'),
  ]);
  expect(sectionText(ledgerSection(ledger)).split('\n')).toEqual([
    'note: the scores of 1 question differ between epochs; variance within a question: 0.500',
    '',
    'outcome    questions  share',
    'answered   3          75 %',
    'not-ended  1          25 %',
    '',
    'verdict    questions  share',
    'scored     3          75 %',
    'not-ended  1          25 %',
    '',
    'right in  chance  95 % between   questions',
    'one of 1  0.750   0.000 – 1.000  2',
    'one of 2  1.000   0.207 – 1.000  1',
    '',
    'tags   score  95 % between   scored  of  worst  best',
    'text   0.667  0.000 – 1.000  3       4   0.500  0.750',
    'table  1.000  0.207 – 1.000  1       2   0.500  1.000',
  ]);
});
