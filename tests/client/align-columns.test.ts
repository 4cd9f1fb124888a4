import { expect, it } from 'vitest';
import { alignColumns } from '../../client/align-columns.js';

it('pads every column to its widest cell, and no line at its end', () => {
  const lines = alignColumns([
    ['run', 'ended', ''],
    ['a-long-name', '2', 'ü'],
    ['b', '10 of 12', 'why?'],
  ]);
  expect(lines.split('\n')).toEqual([
    'run          ended',
    'a-long-name  2         ü',
    'b            10 of 12  why?',
  ]);
});
