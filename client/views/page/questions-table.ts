import { grouped, preview } from '../../../domain/formats/text.js';
import type { QuestionId } from '../../../domain/ids.js';
import { dollars } from '../../../domain/models/usage.js';
import type { Scale } from '../../../domain/scoring/scale.js';
import { evaluatorOf } from '../../../domain/scoring/dataset-item.js';
import {
  outcomeOf,
  scaleOfAnswer,
  scoreOf,
  shownScore,
  verdictCountOf,
  type RunAnswer,
} from '../../../domain/scoring/answer.js';
import { countsOf } from '../../../domain/statistics/means.js';
import { trajectoryAddress } from './document.js';
import { goldText, markup, type Markup } from './markup.js';
import {
  numberColumn,
  questionColumns,
  textColumn,
  type NamedQuestion,
  type QuestionRow,
  type TextColumn,
} from './question-columns.js';
import type { ReportedRun } from '../../runs/reported-run.js';

/** A column of a table of a page. */
export interface TableColumn<Row> extends Omit<TextColumn<Row>, 'text'> {
  readonly text: (row: Row) => string | Markup;
}

/** A table of questions, with the form that filters it. */
export interface TableOfQuestions<Row extends NamedQuestion> {
  readonly caption: string;
  /** One of the kind `question` has the link of the row. */
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  /** The fragment of the page's address that a question opens. */
  readonly address: (row: Row) => string;
  /** What rows are filtered by besides their text. One without any value has no selection, nor has a single run. */
  readonly filters: Readonly<Record<string, (row: Row) => readonly string[]>>;
}

/** The page's script shows the form, filters the rows by their attributes `data-NAME`, and sorts them. */
export function tableOfQuestions<Row extends NamedQuestion>(table: TableOfQuestions<Row>): Markup {
  const { caption, columns, rows, filters } = table;
  return markup`<form class="filter" role="search" aria-label="Questions" hidden>
<label>text <input type="search" name="text" placeholder="question, answer, id"></label>
${Object.entries(filters).map(([name, of]) => selection(name, countsOf(rows.flatMap(of))))}<output aria-live="polite"></output>
<button type="reset">show all</button>
</form>
<div class="wide"><table class="questions" id="questions-table">
<caption class="unseen">${caption}</caption>
<thead><tr>${columns.map(({ name, isNumber = false }) => markup`<th scope="col" data-by="${isNumber ? 'number' : 'text'}" class="${isNumber ? 'n' : name}">${name}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => rowOf(row, table))}</tbody></table></div>`;
}

function selection(name: string, counts: ReadonlyMap<string, number>): Markup | null {
  if (counts.size === 0 || (name === 'run' && counts.size === 1)) return null;
  const options = [...counts].sort(([, a], [, b]) => b - a);
  return markup`<label>${name} <select name="${name}"><option value="">all</option>${options.map(
    ([value, count]) => markup`<option value="${value}">${value} (${grouped(count)})</option>`,
  )}</select></label>
`;
}

function rowOf<Row extends NamedQuestion>(
  row: Row,
  { columns, address, filters }: TableOfQuestions<Row>,
): Markup {
  const attributes = Object.entries(filters).map(
    ([name, of]) => markup` data-${name}="${[...new Set(of(row))].join('\n')}"`,
  );
  const cells = columns.map((column) => {
    const { isNumber, value, text, mark, kind = '' } = column;
    if (kind === 'question') {
      const epoch = row.epoch > 1 ? markup` <span class="faint">epoch ${row.epoch}</span>` : null;
      return markup`<th scope="row" class="question"><a href="#${address(row)}">${text(row)}</a>${epoch}</th>`;
    }
    if (isNumber) return markup`<td class="n" data-value="${value(row) ?? ''}">${text(row)}</td>`;
    const sign = mark && markup`<span aria-hidden="true">${mark(row)}</span> `;
    return markup`<td${kind === '' ? null : markup` class="${kind}"`}>${sign ?? null}${text(row)}</td>`;
  });
  return markup`<tr data-uuid="${row.uuid}"${attributes}>${cells}</tr>
`;
}

/** The most characters of an answer or gold in the table; the question's own view shows all. */
export const answerShown = 120;

/** A question with all that the table of a report has of it. */
export interface ReportedQuestion extends QuestionRow {
  readonly uuid: QuestionId;
  readonly run: string;
  readonly gold: string;
  /** `right`, `partly right`, `wrong`, `graded` from 1 to 5, or the reason why the sample has no score. */
  readonly label: string;
  readonly tokens: number | null;
  /** The answer, or how the question ended without one. */
  readonly reply: string;
  readonly scale: Scale | null;
}

export function reportedQuestions(reported: ReportedRun): readonly ReportedQuestion[] {
  return reported.answers.map((each) => {
    const { uuid, epoch, item, result } = each;
    return {
      run: reported.run,
      uuid,
      epoch,
      question: item.question,
      tags: item.tags,
      answer: preview(result?.answer ?? '', answerShown),
      reply: result ? preview(result.answer ?? `(${result.outcome.kind})`, answerShown) : '',
      gold: preview(goldText(evaluatorOf(item)), answerShown),
      outcome: outcomeOf(each) ?? 'not-ended',
      verdict: verdictCountOf(each),
      label: verdictLabel(each),
      scale: scaleOfAnswer(each),
      score: shownScore(each),
      share: scoreOf(each),
      turns: result?.turns ?? null,
      tokens: result ? result.usage.promptTokens + result.usage.completionTokens : null,
      costUsd: result?.costUsd ?? null,
      cost: result ? (result.costUsd === null ? '?' : dollars(result.costUsd)) : '',
      ms: result ? Date.parse(result.endedAt) - Date.parse(result.startedAt) : null,
    };
  });
}

function verdictLabel(answer: RunAnswer): string {
  const score = scoreOf(answer);
  if (score === null) return verdictCountOf(answer);
  if (scaleOfAnswer(answer) === 'one-to-five') return 'graded';
  if (score === 1) return 'right';
  return score === 0 ? 'wrong' : 'partly right';
}

/** Marks that distinguish verdicts without colour. */
const verdictMarks: Readonly<Record<string, string>> = {
  right: '●',
  'partly right': '◐',
  graded: '◐',
  wrong: '○',
};

export const tagsColumn = textColumn<Pick<QuestionRow, 'tags'>>('tags', ({ tags }) =>
  tags.join(', '),
);

const { question, answer, outcome, score, turns, cost, time } = questionColumns;
const columns: readonly TextColumn<ReportedQuestion>[] = [
  ...[question, tagsColumn, answer],
  textColumn('gold', ({ gold }) => gold, 'answer'),
  outcome,
  {
    ...textColumn<ReportedQuestion>('verdict', ({ label }) => label, 'verdict'),
    mark: ({ label }) => verdictMarks[label] ?? '–',
  },
  ...[score, turns],
  numberColumn('tokens', ({ tokens }) => tokens, grouped),
  ...[cost, time],
];

/** A table of all questions of all runs. */
export const questionsTable = (runs: readonly ReportedRun[]): Markup =>
  tableOfQuestions({
    caption: 'Every question with its answer, outcome and score',
    columns:
      runs.length > 1
        ? [textColumn<ReportedQuestion>('run', ({ run }) => run), ...columns]
        : columns,
    rows: runs.flatMap(reportedQuestions),
    address: (row) => trajectoryAddress(row.run, row),
    filters: {
      run: ({ run }) => [run],
      outcome: ({ outcome }) => [outcome],
      verdict: ({ label }) => [label],
      tag: ({ tags }) => [...new Set(tags)],
    },
  });
