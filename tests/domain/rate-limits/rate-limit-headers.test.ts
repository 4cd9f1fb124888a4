import { describe, expect, it } from 'vitest';
import { readRateLimit } from '../../../domain/rate-limits/stated-limits.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const read = (headers: Readonly<Record<string, string>>) =>
  readRateLimit((name) => headers[name] ?? null, now);

describe('readRateLimit', () => {
  it("reads OpenAI's headers", () => {
    expect(
      read({
        'x-ratelimit-limit-requests': '500',
        'x-ratelimit-remaining-requests': '499',
        'x-ratelimit-reset-requests': '120ms',
        'x-ratelimit-limit-tokens': '30000',
        'x-ratelimit-remaining-tokens': '29000',
        'x-ratelimit-reset-tokens': '6m0.5s',
      }),
    ).toEqual({
      limitRequests: 500,
      remainingRequests: 499,
      resetRequestsMs: 120,
      limitTokens: 30_000,
      remainingTokens: 29_000,
      resetTokensMs: 360_500,
    });
  });

  it("reads Anthropic's headers", () => {
    expect(
      read({
        'anthropic-ratelimit-requests-limit': '50',
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': '2026-01-01T00:00:05Z',
      }),
    ).toEqual({ limitRequests: 50, remainingRequests: 0, resetRequestsMs: 5000 });
  });

  it("paces by Anthropic's limit of prompts, and by what remains of the tighter one", () => {
    const at = '2026-01-01T00:00:05Z';
    const input = {
      'anthropic-ratelimit-tokens-limit': '8000',
      'anthropic-ratelimit-input-tokens-limit': '30000',
      'anthropic-ratelimit-input-tokens-remaining': '15000',
      'anthropic-ratelimit-input-tokens-reset': '2026-01-01T00:00:30Z',
      'anthropic-ratelimit-output-tokens-limit': '8000',
    };
    expect(read({ ...input, 'anthropic-ratelimit-output-tokens-remaining': '6000' })).toEqual({
      limitTokens: 30_000,
      remainingTokens: 15_000,
      resetTokensMs: 30_000,
    });
    expect(
      read({
        ...input,
        'anthropic-ratelimit-output-tokens-remaining': '800',
        'anthropic-ratelimit-output-tokens-reset': at,
      }),
    ).toEqual({ limitTokens: 30_000, remainingTokens: 3000, resetTokensMs: 5000 });
  });

  it.each<[string, number | undefined]>([
    ['7', 7000],
    ['1h2m3s', 3_723_000],
    ['1d', 86_400_000],
    ['0s', 0],
    ['2025-12-31T23:59:59Z', 0],
    ['2026-13-01T00:00:00Z', undefined],
    ['soon', undefined],
    ['', undefined],
    ['-3', undefined],
  ])('reads a reset of "%s" as %s ms', (reset, ms) => {
    const limit = read({
      'x-ratelimit-limit-requests': '1',
      'x-ratelimit-reset-requests': reset,
    });
    expect(limit).toEqual({ limitRequests: 1, ...(ms !== undefined && { resetRequestsMs: ms }) });
  });

  it('says nothing where nothing usable is said', () => {
    expect(read({})).toBeUndefined();
    expect(read({ 'x-ratelimit-limit-requests': 'unlimited' })).toBeUndefined();
  });
});
