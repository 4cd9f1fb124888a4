import { describe, expect, it } from 'vitest';
import { fencedText } from '../../../../domain/agent/actions/fenced-text.js';

describe('a code fence in strict mode', () => {
  it.each([
    ['```txt\nTrue\n```', 'True'],
    ['first\n```\na\n```\nthen\n```sql\nSELECT 1;\n```\nend', 'SELECT 1;'],
    ['```True```', ''],
    ['```42```', ''],
    ['```hello world```', 'world'],
    ['``` 42 ```', '42'],
    ['no fence at all ', 'no fence at all'],
    ['```txt\nnever closed', '```txt\nnever closed'],
    ['```txt\na ```x``` b\n```', 'b'],
    ['```a```b c```d', 'c'],
    ['``````', ''],
    ['``` ```', ''],
    ['`````', '`````'],
  ])('finds in %j the text %j', (reply, text) => {
    expect(fencedText(reply, 'strict')).toBe(text);
    expect(fencedText(reply, 'strict')).toBe(byPattern(reply));
  });

  /** The reference's own pattern; too slow for hostile texts, but short. */
  function byPattern(reply: string): string {
    const last = [...reply.matchAll(/```(\S*)\s*(.*?)\s*```/gs)].at(-1);
    return last?.[2] ?? reply.trim();
  }
});

describe('a code fence read tolerantly', () => {
  it.each([
    ['```txt\nTrue\n```', 'True'],
    ['```True```', 'True'],
    ['```42```', '42'],
    ['```hello world```', 'hello world'],
    ['```txt hello```', 'hello'],
    ['so: ```txt\nnever closed', 'never closed'],
    ['```txt\nnever closed', 'never closed'],
    ['```txt\na ```x``` b\n```', 'a ```x``` b'],
    ['```\na\n```\nthen\n```txt\nb\n```\nend', 'b'],
    ['the answer is 42', 'the answer is 42'],
    ['````md\n```x\n````', '```x'],
  ])('finds in %j the text %j', (reply, text) => {
    expect(fencedText(reply, 'tolerant')).toBe(text);
  });
});
