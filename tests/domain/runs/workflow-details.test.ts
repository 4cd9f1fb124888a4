import { describe, expect, it } from 'vitest';
import { noCost, noUsage } from '../../../domain/models/usage.js';
import { emptyRun, recordStarted } from '../../../domain/runs/run-state.js';
import { addEnded, noTotals } from '../../../domain/runs/run-totals.js';
import {
  questionDetails,
  runDetails,
  type QuestionMoment,
} from '../../../domain/runs/workflow-details.js';
import { sampleKey } from '../../support/runs/example-records.js';

const used = {
  usage: { ...noUsage, promptTokens: 90, completionTokens: 10, calls: 2 },
  cost: noCost,
};

describe('the details of a run', () => {
  it('claim no score before there is one', () => {
    const text = runDetails(recordStarted({ ...emptyRun, samples: 3 }, [sampleKey('q1')]), '/list');
    for (const fact of ['0 of 3', '1 in flight', '0 turns', '0 model calls', 'no scores yet']) {
      expect(text).toContain(fact);
    }
  });

  it('tell outcomes, cost and the mean over what was scored', () => {
    const totals = [
      { outcome: 'answered' as const, turns: 3, ...used, score: 1 },
      { outcome: 'answered' as const, turns: 2, ...used, score: 0 },
      { outcome: 'infra-error' as const, turns: 0, ...used, score: null },
    ].reduce(addEnded, noTotals);
    const text = runDetails({ ...emptyRun, samples: 3, totals }, '/list');
    for (const fact of [
      '3 of 3',
      '0 in flight',
      'answered',
      'infra-error',
      '5 turns',
      '6 model calls',
      'mean score 0.500 over 2 scored, 1 unscored',
      '([list](/list))',
    ]) {
      expect(text).toContain(fact);
    }
  });
});

const moment: QuestionMoment = {
  question: 'Which papers?',
  runPath: '/run',
  turn: 3,
  maxTurns: 20,
  reply: null,
  observation: '{"title":"*A*"}',
};

describe('the current details of a question', () => {
  it.each<[string, Partial<QuestionMoment>, string]>([
    ['while the model is asked', {}, 'asking the model'],
    [
      'while its action is carried out',
      { reply: { kind: 'action', action: 'RetrieveFromDatabase', preview: 'SELECT * FROM pages' } },
      'SQL `` SELECT * FROM pages ``',
    ],
    [
      'when it has answered',
      { reply: { kind: 'action', action: 'GenerateAnswer', preview: '``two``' } },
      "answer `` ''two'' ``",
    ],
    [
      'when it has answered with nothing',
      { reply: { kind: 'action', action: 'GenerateAnswer', preview: '' } },
      'answer nothing',
    ],
    [
      'when the reply was none',
      { reply: { kind: 'unparseable', error: 'no action' } },
      'a reply that could not be read: no action',
    ],
  ])('%s', (_when, change, doing) => {
    expect(questionDetails({ ...moment, ...change })).toBe(
      [
        `**Turn 3 of at most 20**: ${doing}`,
        'It was told `` {"title":"*A*"} ``',
        'Question: Which papers? [(its run)](/run)',
      ].join('  \n'),
    );
  });

  it('name no observation in the first turn', () => {
    expect(questionDetails({ ...moment, turn: 1, observation: null })).not.toContain('told');
  });
});
