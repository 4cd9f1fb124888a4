import type { NamedQuestion, TextColumn } from '../../../page/question-columns.js';
import type { Column } from './sortable-table.jsx';

/** Columns of a table of questions, of which the question is a link. */
export const linkedColumns = <Row extends NamedQuestion>(
  columns: readonly TextColumn<Row>[],
  address: (row: Row) => string,
): readonly Column<Row>[] =>
  columns.map(({ text, mark, ...column }) => ({
    ...column,
    cell: (row) =>
      column.kind === 'question' ? (
        <>
          {row.epoch > 1 && <span class="faint">epoch {row.epoch} </span>}
          <a href={address(row)}>{text(row) || row.uuid}</a>
        </>
      ) : (
        <>
          {mark && <span aria-hidden="true">{mark(row)} </span>}
          {text(row)}
        </>
      ),
  }));
