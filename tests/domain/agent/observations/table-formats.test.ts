import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  observationFormatNames,
  observationFormats,
} from '../../../../domain/agent/observations/table-formats.js';
import type { TableResult } from '../../../../domain/agent/observations/tool-outcome.js';

interface PandasTable extends Pick<TableResult, 'columns' | 'rows'> {
  readonly name: string;
  /** As pandas 2.3.3 and tabulate 0.10.0 wrote the result of DuckDB 1.5.6. */
  readonly markdown: string;
  readonly string: string;
  readonly html: string;
}

const fixture = new URL('../../../fixtures/pandas-tables.json', import.meta.url);
// Our own file, written in this shape.
const cases = JSON.parse(readFileSync(fixture, 'utf8')) as readonly PandasTable[];

describe.each(['markdown', 'string', 'html'] as const)('%s when strict', (format) => {
  it.each(cases)('$name', ({ columns, rows, [format]: expected }) => {
    const table = { columns, rows, more: false };
    expect(observationFormats[format].render(table, rows.length, true)).toBe(expected);
  });
});

describe('tables by default', () => {
  const table: TableResult = {
    columns: [
      { name: 'title', type: 'VARCHAR' },
      { name: 'tags', type: 'VARCHAR[]' },
      { name: 'n', type: 'INTEGER' },
    ],
    rows: [
      ['one | two\nlines', ['a', 'b'], 1],
      ['<b>', [], null],
      ['not shown', [], 3],
    ],
    more: false,
  };

  it.each([
    [
      'markdown',
      [
        '| title | tags | n |',
        '| --- | --- | --- |',
        String.raw`| one \| two<br>lines | ["a","b"] | 1 |`,
        '| <b> | [] | null |',
      ],
    ],
    [
      'string',
      [
        'title             tags       n',
        String.raw`one | two\nlines  ["a","b"]  1`,
        '<b>               []         null',
      ],
    ],
  ] as const)('are readable as %s', (format, lines) => {
    expect(observationFormats[format].render(table, 2, false)).toBe(lines.join('\n'));
  });

  it('are readable as html', () => {
    const html = observationFormats.html.render(table, 2, false);
    expect(html).toContain('<td>one | two\nlines</td>\n      <td>["a","b"]</td>');
    expect(html).toContain('<td>&lt;b&gt;</td>\n      <td>[]</td>\n      <td>null</td>');
  });

  it.each(observationFormatNames)('show only the rows they are to show as %s', (format) => {
    for (const strict of [true, false]) {
      expect(observationFormats[format].render(table, 2, strict)).not.toContain('not shown');
    }
  });
});
