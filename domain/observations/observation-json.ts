import type { ObservationFormat } from './observation-format.js';
import { pandasLines } from './pandas-json.js';
import type { TableResult } from './table-result.js';

/** One object a line, the last line ended too: a blank line parts the rows from the note under them. */
export const observationJson: ObservationFormat = {
  title: 'JSON',
  render: (table, shown, strict) =>
    (strict ? pandasLines(table, shown) : jsonLines(table, shown))
      .map((line) => `${line}\n`)
      .join(''),
};

/** JSON as it is meant: lists, nulls and dates stay what they are, letters stay readable. */
function jsonLines({ columns, rows }: TableResult, shown: number): readonly string[] {
  return rows.slice(0, shown).map((row) => {
    // Written key by key: an object would move columns named like integers to the front.
    const members = columns.map(
      ({ name }, index) => `${JSON.stringify(name)}:${JSON.stringify(row[index] ?? null)}`,
    );
    return `{${members.join(',')}}`;
  });
}
