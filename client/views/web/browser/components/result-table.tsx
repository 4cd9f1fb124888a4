import type { JSX } from 'preact';
import type { ResultData } from '../../dataset-data.js';

/** Characters of a cell that stays on one line. */
const shortCell = 24;

const isNumber = (cell: string | null): boolean => cell === null || /^-?\d+(\.\d+)?$/.test(cell);

/** The rows of a table, or what a query has found. @param name - for those who do not see where it is */
export function ResultTable({
  name,
  result: { table, shown },
}: {
  readonly name: string;
  readonly result: ResultData;
}): JSX.Element {
  return (
    <div class="observation" role="region" aria-label={name} tabIndex={0}>
      {table === null ? <pre>{shown}</pre> : <Rows name={name} table={table} />}
    </div>
  );
}

function Rows({
  name,
  table: { columns, rows, note },
}: {
  readonly name: string;
  readonly table: NonNullable<ResultData['table']>;
}): JSX.Element {
  const side = columns.map((_, at) => (rows.every((row) => isNumber(row[at] ?? null)) ? 'n' : ''));
  return (
    <>
      <table>
        <caption class="unseen">{name}</caption>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th key={at} scope="col" class={side[at]}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {row.map((cell, at) => (
                <td
                  key={at}
                  class={`${side[at] ?? ''} ${(cell ?? '').length > shortCell ? '' : 'short'}`}
                >
                  {cell ?? <span class="faint">NULL</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {note !== '' && <p class="faint">{note}</p>}
    </>
  );
}
