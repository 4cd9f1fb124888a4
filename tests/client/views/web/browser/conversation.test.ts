import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import {
  observationRows,
  firstDifference,
  placeOf,
} from '../../../../../client/views/web/browser/conversation/conversation-text.js';
import { browserScript } from '../../../../../client/views/page/document.js';
import { observationFormatNames } from '../../../../../domain/agent/observations/table-formats.js';
import {
  defaultObservationStyle,
  renderRows,
} from '../../../../../domain/agent/observations/observation.js';
import { pageTurn } from '../../../../../client/views/page/page-question.js';
import { exampleReply } from '../../../../support/runs/example-records.js';

const table = {
  columns: [
    { name: 'title', type: 'VARCHAR' },
    { name: 'n', type: 'BIGINT' },
  ],
  rows: [
    ['a | b <c> & "d"', 1],
    ['second', 22],
  ],
  more: false,
};

describe('rows of an observation', () => {
  it.each(observationFormatNames.filter((name) => name !== 'string'))(
    'are read back from %s',
    (format) => {
      for (const strictness of ['tolerant', 'strict'] as const) {
        const { content } = renderRows(table, { ...defaultObservationStyle, format, strictness });
        // In this format a cell may contain the border, so its end is ambiguous.
        if (format === 'markdown' && strictness === 'strict') continue;
        const read = observationRows(content);
        const cells = read?.rows.map((row) => row.slice(-2).map(String));
        expect(cells).toEqual([
          ['a | b <c> & "d"', '1'],
          ['second', '22'],
        ]);
        expect(read?.columns.slice(-2)).toEqual(['title', 'n']);
        expect(read?.note).toContain('2 rows');
      }
    },
  );

  it.each([
    '[Warning]: The SQL execution result is empty.',
    '{"broken": \n\nIn total',
    '|not a table',
    '<table>',
    '',
  ])('are none where the text is another: %j', (text) => {
    expect(observationRows(text)?.rows ?? []).toEqual([]);
  });
});

it.each([
  [{ table_name: 'tables', primary_key: 'k', page_number: 2 }, '#k'],
  [{ table_name: 'chunks', primary_key: 'k', page_number: 2 }, '#page-2'],
  [{ table_name: 'sections', page_number: -1 }, ''],
  [{}, ''],
])('the hit %j leads to %s on the page of its paper', (hit, place) => {
  expect(placeOf((column) => new Map<string, unknown>(Object.entries(hit)).get(column))).toBe(
    place,
  );
});

describe('the first difference of two conversations', () => {
  const sql = (turn: number, text: string, thought = 'so') =>
    pageTurn(
      {
        reply: exampleReply(turn, null, {
          reading: { kind: 'action', thought, action: { kind: 'RetrieveFromDatabase', sql: text } },
        }),
        observation: null,
      },
      () => null,
    );

  it.each([
    [[sql(1, 'a')], [sql(1, 'a', 'in other words')], null],
    [[sql(1, 'a'), sql(2, 'b')], [sql(1, 'a'), sql(2, 'c')], 1],
    [[sql(1, 'a')], [sql(1, 'a'), sql(2, 'b')], 1],
    [[], [], null],
  ])('is that of their actions, not of their words', (before, after, place) => {
    expect(firstDifference(before, after)).toBe(place);
  });
});

it.each(['report', 'view'] as const)('the script of the %s is one file', (name) => {
  const script = browserScript(name);
  expect(() => new Script(script)).not.toThrow();
  expect(script).not.toMatch(/^(import|export)\b/m);
});
