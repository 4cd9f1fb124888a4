import { describe, expect, it } from 'vitest';
import { noCost, noUsage } from '../../../domain/models/usage.js';
import { emptyRun, recordStarted } from '../../../domain/runs/run-state.js';
import { addEnded, noTotals } from '../../../domain/runs/run-totals.js';
import {
  questionDetails,
  runDetails,
  isSlow,
  isStuck,
  slowQuestionText,
  usualTurnMs,
  type QuestionMoment,
  type QuestionDoing,
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

describe('slowQuestionText', () => {
  const waiting = {
    ...sampleKey('a'),
    reason: 'rate-limit' as const,
    message: 'in a day',
    until: 0,
    need: null,
    failure: null,
  };
  it.each<[QuestionDoing, string]>([
    [
      { kind: 'waits', waiting },
      'waits, the provider’s rate limit, until 1970-01-01T00:00:00.000Z (in a day)',
    ],
    [{ kind: 'works', activity: 'askModel', told: null }, 'model call'],
    [{ kind: 'works', activity: 'askModel', told: 'waits for the budget' }, 'waits for the budget'],
    [
      { kind: 'retries', activity: 'takeAction', attempt: 3, attempts: 20, lastFailure: 'gone' },
      'action, try 3 of 20; the last failed: gone',
    ],
    [
      { kind: 'retries', activity: 'another', attempt: 3, attempts: 0, lastFailure: 'gone' },
      'another, try 3; the last failed: gone',
    ],
    [{ kind: 'unclaimed' }, 'waits for a worker'],
    [{ kind: 'at-work' }, 'model call or action'],
    [{ kind: 'closed' }, 'closed without an end; its run sees to it'],
    [{ kind: 'rests' }, 'rests'],
  ])('of %j', (doing, text) => {
    const question = { ...sampleKey('a'), turns: 0, movedAtMs: 0, doing };
    expect(slowQuestionText(question, 90_000)).toBe(`a in its first turn, for 2 min: ${text}`);
  });

  it('names the epoch as commands take it', () => {
    const question = {
      ...sampleKey('a', 2),
      turns: 3,
      movedAtMs: 5000,
      doing: { kind: 'rests' as const },
    };
    expect(slowQuestionText(question, 4000)).toBe('a --epoch 2 after turn 3, for 0 s: rests');
  });
});

it('takes for stuck what has not moved for ten turns, and a minute', () => {
  expect(isSlow({ movedAtMs: 0 }, 15_000)).toBe(false);
  expect(isSlow({ movedAtMs: 0 }, 15_001)).toBe(true);
  expect(isStuck({ movedAtMs: 0 }, null, 60_000)).toBe(false);
  expect(isStuck({ movedAtMs: 0 }, 2000, 60_001)).toBe(true);
  expect(isStuck({ movedAtMs: 0 }, 7000, 60_001)).toBe(false);
  expect(isStuck({ movedAtMs: 0 }, 7000, 70_001)).toBe(true);
});

const took = (seconds: number, turns: number) => ({
  startedAt: new Date(0).toISOString(),
  endedAt: new Date(seconds * 1000).toISOString(),
  turns,
});

it('is the median over questions, of those that took a turn', () => {
  expect(usualTurnMs([took(4, 2), took(9000, 3), took(3, 1), took(100, 0)])).toBe(3000);
  expect(usualTurnMs([took(100, 0)])).toBeNull();
});
