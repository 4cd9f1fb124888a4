import { expect, it } from 'vitest';
import { spreadsheetCell } from '../../../../client/views/exports/result-table.js';

it.each([
  ['=1+2', "'=1+2"],
  ['=HYPERLINK("http://x")', '\'=HYPERLINK("http://x")'],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['+cmd|x', "'+cmd|x"],
  ['-2+3', "'-2+3"],
  ['\t=1', "'\t=1"],
  ['\r=1', "'\r=1"],
])('puts an apostrophe before %j', (text, cell) => {
  expect(spreadsheetCell(text)).toBe(cell);
});

it.each(['', '20', '-5', '+1.5', '-1e-7', '-5%', '-.5', 'a = b', "'=1", '[-1, 2]', '\n=1'])(
  'leaves %j as it is',
  (text) => {
    expect(spreadsheetCell(text)).toBe(text);
  },
);
