import { describe, expect, it } from 'vitest';
import { quoteSafely } from '../../../../worker/adapters/model-apis/failures.js';

const prompt = 'Which four tracks\n did the authors enter?';

describe('quoteSafely', () => {
  it.each([
    ['puts what was said on one line', ' Bad\n  value ', '"Bad value"'],
    ['cuts what is long', 'x'.repeat(300), `"${'x'.repeat(200)}"`],
    ['is empty where nothing was said', ' ', ''],
    [
      'is empty where the prompt is repeated, however it is wrapped',
      'In: "Which four\ntracks did"',
      '',
    ],
    ['is empty where a short key is repeated', 'wrong key s3cret!', ''],
    [
      'keeps a few words that a prompt has too',
      'four tracks are too many',
      '"four tracks are too many"',
    ],
  ])('%s', (_, said, expected) => {
    expect(quoteSafely(said, [prompt, 's3cret', ''])).toBe(expected);
  });
});
