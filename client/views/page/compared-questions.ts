import { grouped } from '../../../domain/formats/text.js';
import { keyText, type QuestionId } from '../../../domain/ids.js';
import type { RunComparison, Flip } from '../../../domain/runs/compare-runs.js';
import { signed } from '../sections/comparison.js';
import { comparisonAddress } from './document.js';
import { markup, type Markup } from './markup.js';
import {
  comparedColumns,
  numberColumn,
  textColumn,
  type ComparedCell,
  type ComparedRow,
  type TextColumn,
} from './question-columns.js';
import {
  reportedQuestions,
  tableOfQuestions,
  tagsColumn,
  type ReportedQuestion,
} from './questions-table.js';
import type { ReportedRun } from '../../runs/reported-run.js';

/** A question in two runs, with all that the table of a report has of it. */
export interface ComparedQuestion extends ComparedRow {
  readonly uuid: QuestionId;
  readonly candidate: string;
  readonly tags: readonly string[];
  readonly gold: string;
  readonly before: ComparedSide;
  readonly after: ComparedSide;
}

interface ComparedSide extends ComparedCell {
  readonly turns: number | null;
}

/** The difference of the scores, without what the arithmetic of computers adds. */
const differenceOf = ({ change, before, after }: ComparedQuestion): number | null =>
  change === 'not comparable' || before.score === null || after.score === null
    ? null
    : Number((after.score - before.score).toFixed(6));

const { question, answerBefore, answerAfter, change, because, before, after } = comparedColumns;
const columns: readonly TextColumn<ComparedQuestion>[] = [
  ...[question, tagsColumn],
  textColumn('gold', ({ gold }) => gold, 'answer'),
  ...[answerBefore, answerAfter, change, because, before, after],
  numberColumn('difference', differenceOf, signed, '–'),
  numberColumn('turns before', (row) => row.before.turns, grouped),
  numberColumn('turns after', (row) => row.after.turns, grouped),
];

/**
 * A table of the questions that both the baseline and another run asked, changed ones first, with the form that filters it.
 *
 * @param runs - the baseline first, then the others as the comparison has them
 */
export function comparedQuestions(
  comparison: RunComparison,
  [baseline, ...others]: readonly ReportedRun[],
): Markup {
  if (baseline === undefined) return markup``;
  const several = others.length > 1;
  return markup`<p>Before is ${baseline.run}, after ${several ? 'the run of the row' : (others[0]?.run ?? '')}.</p>
${tableOfQuestions({
  caption: 'Every question of both runs with its answers and scores',
  columns: several
    ? [textColumn<ComparedQuestion>('run', ({ candidate }) => candidate), ...columns]
    : columns,
  rows: comparedRows(comparison, baseline, others),
  address: (row) => comparisonAddress(baseline.run, row.candidate, row),
  filters: {
    run: ({ candidate }) => [candidate],
    change: ({ change }) => [change],
    because: ({ because }) => (because === null ? [] : [because]),
    tag: ({ tags }) => [...new Set(tags)],
  },
})}`;
}

/** The questions that both the baseline and another run asked, changed ones first. */
export function comparedRows(
  comparison: RunComparison,
  baseline: ReportedRun,
  others: readonly ReportedRun[],
): readonly ComparedQuestion[] {
  const asked = reportedQuestions(baseline);
  return others
    .flatMap((other) => comparedWith(flipsOf(comparison, other.run), asked, other))
    .sort((a, b) => Number(a.because === null) - Number(b.because === null));
}

const flipsOf = ({ candidates }: RunComparison, run: string): readonly Flip[] =>
  candidates.filter(({ summary }) => summary.run === run).flatMap(({ flips }) => flips);

function comparedWith(
  flips: readonly Flip[],
  asked: readonly ReportedQuestion[],
  other: ReportedRun,
): readonly ComparedQuestion[] {
  const flipOf = new Map(flips.map((flip) => [keyText(flip), flip]));
  const rowsAfter = new Map(reportedQuestions(other).map((row) => [keyText(row), row]));
  return asked.flatMap(({ uuid, epoch, question, tags, gold, ...before }) => {
    const key = keyText({ uuid, epoch });
    const after = rowsAfter.get(key);
    if (after === undefined) return [];
    const flip = flipOf.get(key);
    const comparable =
      before.score !== null && after.score !== null && before.scale === after.scale;
    return [
      {
        ...{ uuid, epoch, question, tags, gold },
        candidate: other.run,
        change: flip?.direction ?? (comparable ? 'same' : 'not comparable'),
        because: flip?.because ?? null,
        before: sideOf(before),
        after: sideOf(after),
      },
    ];
  });
}

const sideOf = ({
  reply,
  score,
  turns,
}: Pick<ReportedQuestion, 'reply' | 'score' | 'turns'>): ComparedSide => ({
  answer: reply,
  score,
  turns,
});
