import type { FailureName } from '../../../domain/failure-type.js';
import type {
  Exchange,
  FailedAttempt,
  FailedExchange,
} from '../../../domain/models/call-attempts.js';

/** @param digit - of which its digests are made */
export const someExchange = (digit: string): Exchange => ({
  request: digit.repeat(64),
  reply: digit.repeat(64),
});

export const failedExchange = (
  digit: string,
  changes: Partial<FailedExchange> = {},
): FailedExchange => ({
  at: '2026-01-01T00:00:00.500Z',
  status: 200,
  ...someExchange(digit),
  ...changes,
});

export const failedAttempt = (
  failure: FailureName,
  changes: Partial<FailedExchange> = {},
): FailedAttempt => ({ ...failedExchange('f', changes), failure });
