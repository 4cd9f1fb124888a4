import { describe, expect, it } from 'vitest';
import {
  addedAnswerers,
  answerersOf,
  answererText,
  onlyUpstream,
} from '../../../domain/agent/who-answered.js';

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
