import type { ComponentChildren, JSX } from 'preact';
import { visibleText } from '../../../../../domain/formats/text.js';
import type { TableRows } from '../conversation/conversation-text.js';
import { useMemo } from 'preact/hooks';
import { duckdb, formatDialect } from 'sql-formatter';

interface ResultTableProps {
  /** For those who do not see where it is. */
  readonly name: string;
  /** Null where the result is shown as text. */
  readonly table: TableRows | null;
  readonly shown: string;
  /** What stands for null. @defaultValue `NULL` */
  readonly none?: string;
  /** Shows a cell in its own way, where it is not null. @param of - the cell of a column in the same row */
  readonly cellOf?: (cell: unknown, of: (column: string) => unknown) => JSX.Element | null;
  readonly children?: ComponentChildren;
}

/** The rows of a table, or what a query or an action has found. */
export const ResultTable = (props: ResultTableProps): JSX.Element => (
  <div class="observation" role="region" aria-label={props.name} tabIndex={0}>
    {props.table === null ? <pre>{props.shown}</pre> : <Rows {...props} table={props.table} />}
    {props.children}
  </div>
);

/** Characters of a cell that stays on one line. */
const shortCell = 24;

const isNumber = (cell: unknown): boolean => cell == null || /^-?\d+(\.\d+)?$/.test(textOf(cell));

const textOf = (cell: unknown): string =>
  visibleText(typeof cell === 'string' ? cell : JSON.stringify(cell ?? null));

type RowsProps = Pick<ResultTableProps, 'name' | 'none' | 'cellOf'> & { readonly table: TableRows };

function Rows({ name, table, none = 'NULL', cellOf }: RowsProps): JSX.Element {
  const { columns, rows, note } = table;
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
          {rows.map((row, line) => (
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
                      (cellOf?.(cell, (column) => row[columns.indexOf(column)]) ?? text)
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {note !== '' && <p class="faint">{note}</p>}
    </>
  );
}

/** Longer statements take too long to lay out, and are shown unchanged. */
const longest = 4000;

/** A statement, laid out; unchanged if it is not valid SQL. */
export function Sql({ sql }: { readonly sql: string }): JSX.Element {
  const text = useMemo(() => {
    if (sql.length > longest) return sql;
    try {
      return formatDialect(sql, { dialect: duckdb, keywordCase: 'upper' });
    } catch {
      return sql;
    }
  }, [sql]);
  return <pre class="sql">{text}</pre>;
}
