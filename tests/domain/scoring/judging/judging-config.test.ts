import { describe, expect, it } from 'vitest';
import {
  panelVerdict,
  type Combination,
} from '../../../../domain/scoring/judging/judging-config.js';
import { unscored, type Verdict } from '../../../../domain/scoring/verdict.js';

const judge = (score: number | null): Verdict =>
  score === null ? unscored('judge-unreadable') : { kind: 'scored', score };

describe('a panel of judges', () => {
  it.each<readonly [Combination, readonly (number | null)[], number | string]>([
    ['majority', [1], 1],
    ['majority', [null], 'judge-unreadable'],
    ['majority', [1, 1, 0], 1],
    ['majority', [0, 1, 0], 0],
    ['majority', [0, 0.5, 1], 0.5],
    ['majority', [0.7, 0.9, 0.8], 0.8],
    ['majority', [1, 0], 'judges-tied'],
    ['majority', [1, 1, 0, 0], 'judges-tied'],
    // Whatever the third had said.
    ['majority', [1, null, 1], 1],
    ['majority', [1, null, 0], 'judge-unreadable'],
    ['majority', [1, null, null], 'judge-unreadable'],
    ['mean', [1, 0], 0.5],
    ['mean', [1, 1, 0, 0], 0.5],
    ['mean', [1, null, 1], 'judge-unreadable'],
  ])('finds by %s of %j: %s', (combination, scores, expected) => {
    const verdict = panelVerdict(scores.map(judge), combination);
    expect(verdict.kind === 'scored' ? verdict.score : verdict.reason).toBe(expected);
  });

  it('says what each of them found', () => {
    expect(
      panelVerdict(
        [{ kind: 'scored', score: 1, rationale: 'same' }, judge(null), judge(1)],
        'majority',
      ),
    ).toEqual({
      kind: 'scored',
      score: 1,
      rationale: 'judge 1, 1: same\njudge 2: judge-unreadable\njudge 3, 1: ',
    });
  });
});
