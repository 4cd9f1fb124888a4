import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { pandasLines } from '../../../../domain/agent/observations/pandas-frame.js';
import type { TableResult } from '../../../../domain/agent/observations/tool-outcome.js';

interface PandasCase extends Pick<TableResult, 'columns' | 'rows'> {
  readonly name: string;
  /** As pandas 2.3.3 printed the result of DuckDB 1.5.6. */
  readonly lines: readonly string[];
}

const fixture = new URL('../../../fixtures/pandas-lines.json', import.meta.url);
// Our own file, written in this shape.
const cases = JSON.parse(readFileSync(fixture, 'utf8')) as readonly PandasCase[];

describe('pandasLines', () => {
  it.each(cases)('$name', ({ columns, rows, lines }) => {
    expect(pandasLines({ columns, rows, more: false }, rows.length)).toEqual(lines);
  });

  it('lets a missing value in a row that is not shown change a lone column', () => {
    const table = { columns: [{ name: 'n', type: 'BIGINT' }], rows: [[1], [null]], more: false };
    expect(pandasLines(table, 1)).toEqual(['{"n":1.0}']);
  });

  it('keeps integers beside others when only a row that is not shown misses one', () => {
    const columns = ['n', 'm'].map((name) => ({ name, type: 'BIGINT' }));
    expect(
      pandasLines(
        {
          columns,
          rows: [
            [1, 2],
            [null, 3],
          ],
          more: false,
        },
        1,
      ),
    ).toEqual(['{"n":1,"m":2}']);
  });
});
