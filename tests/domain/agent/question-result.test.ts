import { describe, expect, it } from 'vitest';
import {
  addedAnswerers,
  answerersOf,
  answererText,
  onlyUpstream,
  outcomeAtTurnLimit,
  outcomeOfFailure,
  outcomeOfOddReplies,
  outcomeSchema,
  type Outcome,
} from '../../../domain/agent/question-result.js';
import type { ModelTurn, OddReply } from '../../../domain/agent/turn-record.js';
import { failureTypes } from '../../../domain/failure-type.js';

const one = { model: 'm', servedBy: { provider: 'One' } };
const two = { model: 'm', servedBy: { provider: 'Two', systemFingerprint: 'fp' } };

describe('who answered', () => {
  it('is counted by model, upstream, fingerprint and tier', () => {
    expect(answerersOf([one, two, one, { model: null }])).toEqual([
      { model: 'm', provider: 'One', replies: 2 },
      { model: 'm', provider: 'Two', systemFingerprint: 'fp', replies: 1 },
    ]);
  });

  it('is told where several upstreams answered, and noted where only a fingerprint changed', () => {
    expect(answererText(answerersOf([one, one]))).toBeNull();
    expect(answererText(answerersOf([one, two]))).toContain('m by One (1 replies), m by Two');
    const rolled = answerersOf(
      ['a', 'b'].map((systemFingerprint) => ({ model: 'm', servedBy: { systemFingerprint } })),
    );
    expect(answererText(rolled)).toContain('2 system fingerprints');
  });

  it('adds up over questions', () => {
    const all = [answerersOf([one]), answerersOf([one, two])].flat();
    expect(addedAnswerers(all).map(({ replies }) => replies)).toEqual([2, 1]);
  });

  it('is one upstream, several or none', () => {
    const [alone, both] = [answerersOf([one, one]), answerersOf([two, one])];
    expect([alone, both, []].map(onlyUpstream)).toEqual(['m by One', 'several', null]);
  });
});

const search: ModelTurn = { kind: 'action', action: 'ClassicRetrieve', preview: 'turns' };
const unreadable = (error: string): ModelTurn => ({ kind: 'unparseable', error });

describe('a question whose replies hold nothing', () => {
  const turn = (odd: OddReply): ModelTurn => ({ kind: 'unparseable', error: odd, odd });
  const unread: ModelTurn = { kind: 'unparseable', error: 'no action' };
  const action: ModelTurn = { kind: 'action', action: 'CalculateExpr', preview: '1' };

  it.each<[string, readonly ModelTurn[], object | null]>([
    ['one refusal', [turn('refused')], { kind: 'refused', by: 'model' }],
    ['one that is filtered', [turn('filtered')], null],
    ['two', [turn('filtered'), turn('filtered')], { kind: 'refused', by: 'filter' }],
    ['one that is empty', [action, turn('empty')], null],
    ['two of them', [turn('empty'), turn('empty')], { kind: 'unparseable' }],
    ['of different kinds', [turn('empty'), turn('filtered')], null],
    ['not in a row', [turn('empty'), action, turn('empty')], null],
    ['two that broke off', [turn('error'), turn('error')], { kind: 'unparseable' }],
    ['two cut off', [turn('cut-off'), turn('cut-off')], null],
    ['three', [turn('cut-off'), turn('cut-off'), turn('cut-off')], { kind: 'unparseable' }],
    ['that only cannot be read', [unread, unread, unread], null],
  ])('%s', (_, turns, expected) => {
    const outcome = outcomeOfOddReplies(turns);
    if (expected === null) expect(outcome).toBeNull();
    else expect(outcome).toMatchObject(expected);
  });

  it('has its words in the outcome', () => {
    const said: ModelTurn = { kind: 'unparseable', error: 'declined', odd: 'refused', said: 'No.' };
    expect(outcomeOfOddReplies([said])).toEqual({ kind: 'refused', by: 'model', message: 'No.' });
  });
});

describe('a question whose turns are used up', () => {
  it.each<[string, readonly ModelTurn[], Outcome]>([
    ['searched to the end', [search, search], { kind: 'turn-limit', maxTurns: 2 }],
    [
      'stumbled in the middle',
      [search, unreadable('x'), search],
      { kind: 'turn-limit', maxTurns: 3 },
    ],
    ['stumbled at the end', [search, unreadable('x')], { kind: 'turn-limit', maxTurns: 2 }],
    [
      'could never be read',
      [unreadable('x'), unreadable('y')],
      { kind: 'unparseable', lastError: 'y' },
    ],
  ])('that %s', (_name, turns, outcome) => {
    expect(outcomeAtTurnLimit(turns)).toEqual(outcome);
  });
});

describe('a question whose activity failed for good', () => {
  it('names the failure that cost it its end', () => {
    for (const type of Object.keys(failureTypes)) {
      const outcome = outcomeOfFailure(type, 'why');
      expect(outcome).toEqual(
        type === 'ContextOverflow'
          ? { kind: 'context-overflow', message: 'why' }
          : type === 'ModelModerated'
            ? { kind: 'refused', by: 'filter', message: 'why' }
            : { kind: 'infra-error', failure: type, message: 'why' },
      );
      expect(outcomeSchema.parse(JSON.parse(JSON.stringify(outcome)))).toEqual(outcome);
    }
  });

  it.each([null, undefined, '', 'toString', 'RangeError'])('knows no failure called %j', (type) => {
    expect(outcomeOfFailure(type, 'why')).toEqual({
      kind: 'infra-error',
      failure: 'Unknown',
      message: 'why',
    });
  });
});
