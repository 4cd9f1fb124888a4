import type { SampleKey } from '../../../domain/ids.js';
import type { RunAnswer } from '../../../domain/scoring/answer.js';
import type { Decision, Ruling } from '../../../domain/scoring/ruling.js';

/** A ruling of ann's on a first result. */
export const rulingOf = (
  { uuid, epoch }: SampleKey,
  decision: Decision,
  changes: Partial<Ruling> = {},
): Ruling => ({
  kind: 'ruling',
  id: '00000001',
  at: '2026-01-01T10:00:00.000Z',
  by: 'ann',
  about: { uuid, epoch },
  asking: 1,
  decision,
  reason: 'the disk was full',
  ...changes,
});

/** The answer with such a ruling on it. */
export const ruled = (answer: RunAnswer, decision: Decision): RunAnswer => ({
  ...answer,
  ruling: rulingOf(answer, decision),
});
