import { describe, expect, it } from 'vitest';
import { maxRetryAfterMs, retryAfterMs } from '../../../domain/rate-limits/stated-limits.js';

const now = Date.parse('2026-11-20T10:00:00Z');

describe('retryAfterMs', () => {
  it.each<[string, Record<string, string>, number | undefined]>([
    ['reads seconds', { 'retry-after': '20' }, 20_000],
    ['reads fractions of a second', { 'retry-after': '0.25' }, 250],
    ['reads milliseconds', { 'retry-after-ms': '1500' }, 1500],
    ['believes milliseconds before seconds', { 'retry-after-ms': '80', 'retry-after': '1' }, 80],
    ['falls back on seconds', { 'retry-after-ms': 'soon', 'retry-after': '2' }, 2000],
    ['reads an HTTP date', { 'retry-after': 'Fri, 20 Nov 2026 10:01:30 GMT' }, 90_000],
    [
      'ignores a date that has passed',
      { 'retry-after': 'Fri, 20 Nov 2026 09:00:00 GMT' },
      undefined,
    ],
    ['reads a day', { 'retry-after': '86400' }, 86_400_000],
    ['caps a week at a day', { 'retry-after': '604800' }, maxRetryAfterMs],
    ['ignores zero', { 'retry-after': '0' }, undefined],
    ['ignores a negative number', { 'retry-after': '-5' }, undefined],
    ['ignores words that Date.parse would take', { 'retry-after': 'wait 5' }, undefined],
    [
      'ignores a date that does not exist',
      { 'retry-after': 'Foo, 99 Bar 2026 99:00:00 GMT' },
      undefined,
    ],
    ['ignores an empty value', { 'retry-after': '  ' }, undefined],
    ['has nothing to say without headers', {}, undefined],
  ])('%s', (_, headers, expected) => {
    expect(retryAfterMs((name) => headers[name] ?? null, now)).toBe(expected);
  });
});
