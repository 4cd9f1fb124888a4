import { expect, it } from 'vitest';
import { placedLines, type PlacedLine } from '../../storage/placed-lines.js';

async function linesOf(text: string, from = 0): Promise<readonly PlacedLine[]> {
  const bytes = Buffer.from(text);
  const lines: PlacedLine[] = [];
  const read = (start: number, end: number) => Promise.resolve(bytes.subarray(start, end));
  for await (const some of placedLines(read, from, bytes.length)) lines.push(...some);
  return lines;
}

it('gives lines with their bytes, blank ones left out', async () => {
  expect(await linesOf('ä\n\n \nb\nc')).toEqual([
    { text: 'ä', start: 0, end: 3, isWhole: true },
    { text: 'b', start: 6, end: 8, isWhole: true },
    { text: 'c', start: 8, end: 9, isWhole: false },
  ]);
  expect(await linesOf('ab\nc\n', 3)).toEqual([{ text: 'c', start: 3, end: 5, isWhole: true }]);
  expect(await linesOf('')).toEqual([]);
});

it('puts lines together that stand in two reads', async () => {
  const long = 'ö'.repeat(700_000);
  const lines = await linesOf(`${long}\nx\n${long}\n${long}`);
  expect(lines.map(({ text }) => text.length)).toEqual([700_000, 1, 700_000, 700_000]);
  expect(lines.at(-1)?.isWhole).toBe(false);
});
