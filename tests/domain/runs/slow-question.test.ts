import { describe, expect, it } from 'vitest';
import {
  isSlow,
  isStuck,
  slowQuestionText,
  usualTurnMs,
  type QuestionDoing,
} from '../../../domain/runs/slow-question.js';
import { sampleKey } from '../../support/runs/example-records.js';

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
