import { describe, expect, it } from 'vitest';
import { readRateLimitBody } from '../../../domain/rate-limits/stated-limits.js';

/** Four in the afternoon in California. */
const now = Date.parse('2026-11-21T00:00:00Z');

const openai = (message: string, type = 'requests') => ({
  error: { message, type, param: null, code: 'rate_limit_exceeded' },
});

const bodies = [
  [
    'OpenAI: requests',
    openai(
      'Rate limit reached for gpt-4.1 in organization org-1 on requests per min (RPM): Limit 200, Used 200, Requested 1. Please try again in 300ms. Visit https://platform.openai.com/account/rate-limits to learn more.',
    ),
    { exceeded: 'requests', exceededLimit: 200, retryAfterMs: 300 },
  ],
  [
    'OpenAI: tokens',
    openai(
      'Rate limit reached for gpt-4.1 in organization org-1 on tokens per min (TPM): Limit 30000, Used 29500, Requested 1300. Please try again in 1.6s.',
      'tokens',
    ),
    { exceeded: 'tokens', exceededLimit: 30_000, retryAfterMs: 1600 },
  ],
  [
    'OpenAI: a limit of a day, which is no pace',
    openai(
      'Rate limit reached for gpt-4.1 on requests per day (RPD): Limit 200, Used 200, Requested 1. Please try again in 7m12s.',
    ),
    { exceeded: 'requests', retryAfterMs: 432_000, isDaily: true },
  ],
  [
    'OpenAI in 2023',
    openai(
      'Rate limit reached for default-gpt-3.5-turbo on requests per min. Limit: 3 / min. Please try again in 20s.',
    ),
    { exceeded: 'requests', exceededLimit: 3, retryAfterMs: 20_000 },
  ],
  [
    'Azure',
    {
      error: {
        code: '429',
        message:
          'Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-06-01 have exceeded call rate limit of your current OpenAI S0 pricing tier. Please retry after 6 seconds.',
      },
    },
    { exceeded: 'requests', retryAfterMs: 6000 },
  ],
  [
    'Azure: tokens',
    {
      error: {
        code: '429',
        message:
          'Requests to the ChatCompletions_Create Operation have exceeded token rate limit of your current AIServices S0 pricing tier. Please retry after 1 second.',
      },
    },
    { exceeded: 'tokens', retryAfterMs: 1000 },
  ],
  [
    'Anthropic',
    {
      type: 'error',
      error: {
        type: 'rate_limit_error',
        message:
          "This request would exceed your organization's rate limit of 50,000 input tokens per minute. For details, refer to: https://docs.anthropic.com/en/api/rate-limits.",
      },
    },
    { exceeded: 'tokens', exceededLimit: 50_000 },
  ],
  [
    'Anthropic: requests',
    {
      error: {
        type: 'rate_limit_error',
        message: "This request would exceed your organization's limit of 50 requests per minute.",
      },
    },
    { exceeded: 'requests', exceededLimit: 50 },
  ],
  [
    'Gemini, which sends a list',
    [
      {
        error: {
          code: 429,
          message:
            'You exceeded your current quota. \n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 15\nPlease retry in 34.07s.',
          status: 'RESOURCE_EXHAUSTED',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
              violations: [
                {
                  quotaId: 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier',
                  quotaValue: '15',
                },
              ],
            },
            { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34s' },
          ],
        },
      },
    ],
    { exceeded: 'requests', exceededLimit: 15, retryAfterMs: 34_000 },
  ],
  [
    'Gemini: a quota of a day, which ends at midnight in California',
    {
      error: {
        code: 429,
        message: 'Quota exceeded.',
        details: [
          { violations: [{ quotaId: 'GenerateRequestsPerDayPerProject', quotaValue: '200' }] },
          { retryDelay: '0.5s' },
        ],
      },
    },
    { exceeded: 'requests', retryAfterMs: 28_800_000, isDaily: true },
  ],
  ['words without a limit', openai('Slow down.', 'overloaded'), {}],
  ['a limit of zero', openai('on requests per min (RPM): Limit 0.'), { exceeded: 'requests' }],
  ['a text', 'Too many requests', {}],
  ['nothing', undefined, {}],
] as const;

describe('readRateLimitBody', () => {
  it.each(bodies)('reads %s', (_, body, stated) => {
    expect(readRateLimitBody(body, now)).toEqual(stated);
  });

  it('waits for a day at most', () => {
    const body = openai('on tokens per day (TPD): Limit 9. Please try again in 25h1m.', 'tokens');
    expect(readRateLimitBody(body, now).retryAfterMs).toBe(86_400_000);
  });

  it.each([
    ['a wait of a day', 'Please retry after 86400 seconds.', 86_400_000],
    ['a name', 'rate_limit_daily', undefined],
    ['a word', 'The daily limit is reached.', undefined],
  ])('knows a limit of a day by %s', (_, message, retryAfterMs) => {
    expect(readRateLimitBody(openai(message), now)).toMatchObject({
      isDaily: true,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  });
});
