import { describe, expect, it } from 'vitest';
import {
  outcomeAtTurnLimit,
  outcomeOfFailure,
  outcomeSchema,
  type Outcome,
} from '../../../domain/agent/question-result.js';
import type { ModelTurn } from '../../../domain/agent/turn-record.js';
import { failureTypes } from '../../../domain/failure-type.js';

const search: ModelTurn = { kind: 'action', action: 'ClassicRetrieve', preview: 'turns' };
const unreadable = (error: string): ModelTurn => ({ kind: 'unparseable', error });

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
