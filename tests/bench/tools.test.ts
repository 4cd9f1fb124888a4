import { describe, expect, it } from 'vitest';
import { markdownTable, measurementFindings } from '../../bench/benchmark.js';
import { measure } from '../../bench/tools.js';

describe('measure', () => {
  it('calls the subjects in turn, round after round, and does not count the first tenth', async () => {
    const calls: string[] = [];
    const subject = (name: string, limitMs: number | null) => ({
      name,
      limitMs,
      call: (round: number): Promise<void> => {
        calls.push(`${name}${round}`);
        return Promise.resolve();
      },
    });
    const measured = await measure([subject('a', 5), subject('b', null)], 10);
    expect(calls.slice(0, 4)).toEqual(['a0', 'b0', 'a1', 'b1']);
    expect(calls).toHaveLength(22);
    expect(measured).toMatchObject([
      { name: 'a', calls: 10, limitMs: 5 },
      { name: 'b', calls: 10, limitMs: null },
    ]);
  });

  it('passes on the failure of a call', async () => {
    const broken = { name: 'a', limitMs: null, call: () => Promise.reject(new Error('no store')) };
    await expect(measure([broken], 1)).rejects.toThrow('no store');
  });
});

describe('findings', () => {
  it('report every median that is not under its limit', () => {
    const calls = { calls: 10, p95: 9 };
    const { problems, tables } = measurementFindings([
      { name: 'under', p50: 4.99, limitMs: 5, ...calls },
      { name: 'at', p50: 5, limitMs: 5, ...calls },
      { name: 'free', p50: 99, limitMs: null, ...calls },
    ]);
    expect(problems).toEqual(['at: the median is 5 ms, but must stay under 5 ms']);
    expect(tables).toEqual([
      [
        '|       | calls | median ms | 95 % ms | limit ms |',
        '| ----- | ----: | --------: | ------: | -------: |',
        '| under |    10 |      4.99 |    9.00 |        5 |',
        '| at    |    10 |      5.00 |    9.00 |        5 |',
        '| free  |    10 |     99.00 |    9.00 |          |',
      ].join('\n'),
    ]);
  });
});

it('lays out a table as Prettier does, so that it can be pasted into a document', () => {
  expect(markdownTable(['a', 'b'], [['1', '2']])).toBe(
    ['| a   |   b |', '| --- | --: |', '| 1   |   2 |'].join('\n'),
  );
});
