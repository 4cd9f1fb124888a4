import type {
  AnswerTrace,
  MeasuredText,
  TracedQuery,
} from '../../../domain/agent/database-qa/answer-trace.js';
import { readCsv } from '../../../domain/formats/csv.js';
import type { Category } from '../../../domain/scoring/dataset-item.js';
import {
  panelResult,
  subTasks,
  type PanelResult,
  type ReviewedPanel,
} from '../../../domain/scoring/review/panel.js';

/** How an answer over a database came about, and its panels, as JSON for the page's script. */
export interface PageDatabaseAnswer {
  readonly method: string;
  readonly category: Category | null;
  readonly stoppedBy: AnswerTrace['stoppedBy'];
  readonly plan: MeasuredText;
  readonly queries: readonly PageQuery[];
  readonly answer: MeasuredText;
  /** In the order of the sub-tasks. */
  readonly panels: readonly PagePanel[];
}

export interface PageQuery extends TracedQuery {
  /** The result as the model was shown it; null if it is no table. */
  readonly table: {
    readonly columns: readonly string[];
    readonly rows: readonly (readonly string[])[];
    readonly note: string;
  } | null;
}

export interface PagePanel extends Pick<
  ReviewedPanel,
  'subTask' | 'reviewers' | 'metaReviewers' | 'reversed'
> {
  readonly outcome: PanelResult;
}

export const pageDatabaseAnswer = (
  { method, stoppedBy, plan, queries, answer }: AnswerTrace,
  category: Category | null,
  panels: readonly ReviewedPanel[],
): PageDatabaseAnswer => ({
  ...{ method, category, stoppedBy, plan, answer },
  queries: queries.map((query) => ({ ...query, table: resultTable(query) })),
  panels: subTasks.flatMap((subTask) => {
    const panel = panels.findLast((each) => each.subTask === subTask);
    return panel === undefined ? [] : [{ ...panel, outcome: panelResult(panel) }];
  }),
});

/** The line after the rows that states what was cut. */
const noteLine = /\n(\(.*\))$/;

function resultTable({ status, shown, shownRows }: TracedQuery): PageQuery['table'] {
  if (status !== 'rows') return null;
  const note = noteLine.exec(shown)?.[1] ?? '';
  const csv = readCsv(shown.replace(noteLine, ''), ',');
  if (csv.kind === 'problem') return null;
  const [columns, ...rows] = csv.records.map(({ cells }) => cells);
  const isWhole = rows.length === shownRows && rows.every((row) => row.length === columns?.length);
  return columns && isWhole ? { columns, rows, note } : null;
}
