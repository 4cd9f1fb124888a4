import { expect, it } from 'vitest';
import { KeyTable } from '../../storage/key-table.js';

it('finds the number of each text, however many there are', () => {
  const table = new KeyTable();
  for (let number = 0; number < 20_000; number += 1) table.add(`q${number}`);
  expect(table.size).toBe(20_000);
  expect([0, 1023, 19_999].map((number) => table.get(`q${number}`))).toEqual([0, 1023, 19_999]);
  expect(table.get('q20000')).toBeNull();
  expect(table.has('q7')).toBe(true);
});

it('keeps the number of a text that is there', () => {
  const table = new KeyTable();
  table.add('a', 7);
  table.add('a', 8);
  expect([table.get('a'), table.size]).toEqual([7, 1]);
});
