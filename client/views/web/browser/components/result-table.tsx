import type { ComponentChildren, JSX } from 'preact';
import { visibleText } from '../../../../../domain/formats/text.js';
import type { TableRows } from '../conversation/observation-rows.js';

interface ResultTableProps {
  /** For those who do not see where it is. */
  readonly name: string;
  /** Null where the result is shown as text. */
  readonly table: TableRows | null;
  readonly shown: string;
  /** What stands for null. @defaultValue `NULL` */
  readonly none?: string;
  /** Shows a cell in another way; null for the usual one. */
  readonly cellOf?: (cell: unknown, row: Readonly<Record<string, unknown>>) => JSX.Element | null;
  readonly children?: ComponentChildren;
}

/** The rows of a table, or what a query or an action has found. */
export const ResultTable = (props: ResultTableProps): JSX.Element => (
  <div class="observation" role="region" aria-label={props.name} tabIndex={0}>
    {props.table === null ? (
      <pre>{props.shown}</pre>
    ) : (
      <Rows
        name={props.name}
        table={props.table}
        none={props.none ?? 'NULL'}
        cellOf={props.cellOf ?? (() => null)}
      />
    )}
    {props.children}
  </div>
);

/** Characters of a cell that stays on one line. */
const shortCell = 24;

const isNumber = (cell: unknown): boolean => cell == null || /^-?\d+(\.\d+)?$/.test(textOf(cell));

const textOf = (cell: unknown): string =>
  visibleText(typeof cell === 'string' ? cell : JSON.stringify(cell ?? null));

interface RowsProps extends Required<Pick<ResultTableProps, 'cellOf'>> {
  readonly name: string;
  readonly table: TableRows;
  readonly none: string;
}

function Rows({ name, table: { columns, rows, note }, none, cellOf }: RowsProps): JSX.Element {
  const side = columns.map((_, at) => (rows.every((row) => isNumber(row[at])) ? 'n' : ''));
  return (
    <>
      <table>
        <caption class="unseen">{name}</caption>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th key={at} scope="col" class={side[at]}>
                {visibleText(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => {
            const byName = Object.fromEntries(columns.map((column, at) => [column, row[at]]));
            return (
              <tr key={line}>
                {row.map((cell, at) => {
                  const text = textOf(cell);
                  return (
                    <td
                      key={at}
                      class={`${side[at] ?? ''} ${text.length > shortCell ? '' : 'short'}`}
                    >
                      {cell == null ? (
                        <span class="faint">{none}</span>
                      ) : (
                        (cellOf(cell, byName) ?? text)
                      )}
                    </td>
                  );
                })}
              </tr>
            );
          })}
        </tbody>
      </table>
      {note !== '' && <p class="faint">{note}</p>}
    </>
  );
}
