import type { FailureName } from '../../../domain/failure-type.js';
import type { Exchange, FailedAttempt, FailedExchange } from '../../../domain/models/exchange.js';

/** @param digit - of which its digests are made */
export const someExchange = (digit: string, changes: Partial<Exchange> = {}): Exchange => ({
  request: digit.repeat(64),
  status: 200,
  reply: digit.repeat(64),
  ...changes,
});

export const failedExchange = (digit: string, changes: Partial<Exchange> = {}): FailedExchange => ({
  at: '2026-01-01T00:00:00.500Z',
  ...someExchange(digit, changes),
});

export const failedAttempt = (
  failure: FailureName,
  changes: Partial<Exchange> = {},
): FailedAttempt => ({ ...failedExchange('f', changes), failure });
