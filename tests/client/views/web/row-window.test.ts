import { describe, expect, it } from 'vitest';
import { visibleRows } from '../../../../client/views/web/row-window.js';

const box = { height: 320, rowHeight: 32, count: 10_000, keep: -1 };

describe('the rows that are in the document', () => {
  it('are those in sight and a few beyond the edges', () => {
    const rows = visibleRows({ ...box, top: 32_000 });
    expect(rows[0]).toBe(988);
    expect(rows.at(-1)).toBe(1_021);
    expect(rows).toHaveLength(34);
  });

  it('begin and end with the table', () => {
    expect(visibleRows({ ...box, top: 0 })[0]).toBe(0);
    expect(visibleRows({ ...box, top: 319_680 }).at(-1)).toBe(9_999);
    expect(visibleRows({ ...box, top: 0, count: 0, keep: 0 })).toEqual([]);
  });

  it.each([0, 9_999])('include the row with the focus, at %i', (keep) => {
    const rows = visibleRows({ ...box, top: 32_000, keep });
    expect(rows).toContain(keep);
    expect(rows).toEqual([...rows].sort((a, b) => a - b));
  });
});
