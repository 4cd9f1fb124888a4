import { decimals, grouped, preview, shortDuration } from '../../../domain/formats/text.js';
import { keyText, type SampleKey } from '../../../domain/ids.js';
import { dollars } from '../../../domain/models/usage.js';
import type { Flip, RunComparison } from '../../../domain/runs/compare-runs.js';
import { notesAbout, noteText, tagsOf, type Note } from '../../../domain/runs/run-manifest.js';
import {
  outcomeOf,
  scaleOfAnswer,
  scoreOf,
  shownScore,
  verdictCountOf,
  type RunAnswer,
} from '../../../domain/scoring/answer.js';
import { evaluatorOf } from '../../../domain/scoring/dataset-item.js';
import { decisionNames, openFor } from '../../../domain/scoring/ruling.js';
import type { ReportedRun } from '../../runs/reported-run.js';
import { signed } from '../sections/comparison.js';
import { goldText } from './markup.js';
import { pagePaths, pathTo } from './page-paths.js';
import {
  numberColumn,
  questionColumn,
  questionTable,
  textColumn,
  type ColumnOf,
  type QuestionCell,
  type QuestionTable,
} from './question-table.js';

/** A question in one epoch, and its answer in each run, in the order of the runs. */
interface Asked extends SampleKey {
  readonly question: string;
  /** Of the first run that has it. */
  readonly first: RunAnswer;
  /** Null where a run does not have the question. */
  readonly answers: readonly (RunAnswer | null)[];
  /** On the question in any of the runs. */
  readonly notes: readonly Note[];
}

/** The questions of one run, of two against each other, or of several side by side. */
export function questionsOf(
  runs: readonly ReportedRun[],
  comparison: RunComparison | null = null,
): QuestionTable {
  const [run, other, ...others] = runs;
  if (run === undefined) return { caption: '', columns: [], filters: [], rows: [] };
  if (other === undefined) return questionsOfRun(run);
  return comparison !== null && others.length === 0
    ? questionsOfBoth(run, other, comparison)
    : questionsOfAll([run, other, ...others], comparison);
}

const questionPath = (run: string, { uuid, epoch }: SampleKey): string =>
  pathTo(pagePaths.question, { run, uuid, epoch });

const sidesPath = (baseline: string, candidate: string, { uuid, epoch }: SampleKey): string =>
  pathTo(pagePaths.sides, { baseline, candidate, uuid, epoch });

/** The most characters of an answer or gold in a list. */
const answerShown = 120;

/** The answer, or how the question ended without one. */
const replyOf = ({ result }: RunAnswer): string =>
  result ? preview(result.answer ?? `(${result.outcome.kind})`, answerShown) : '';

/** Common to all tables. */
const itemColumns: readonly ColumnOf<Asked>[] = [
  textColumn('category', ({ first }) => first.item.category ?? ''),
  textColumn('tags', ({ first }) => first.item.tags.join(', ')),
  textColumn('notes', ({ notes }) => preview(notes.map(noteText).join(' · '), answerShown)),
  textColumn(
    'gold',
    ({ first: { item } }) => preview(goldText(evaluatorOf(item)), answerShown),
    'answer',
  ),
];
const itemFilters = {
  category: ({ first }: Asked): readonly string[] => [first.item.category ?? ''],
  tag: ({ first }: Asked): readonly string[] => first.item.tags,
  noted: ({ notes }: Asked): readonly string[] => {
    const tags = tagsOf(notes);
    return tags.length > 0 ? tags : [notes.length > 0 ? 'without a tag' : 'without a note'];
  },
};

function questionsOfRun(reported: ReportedRun): QuestionTable {
  const { run } = reported;
  return questionTable<Asked>({
    caption: 'Every question with its answer, outcome and score',
    columns: [
      questionColumn((row) => questionPath(run, row)),
      ...itemColumns.slice(0, -1),
      textColumn(
        'answer',
        ({ first }) => preview(first.result?.answer ?? '', answerShown),
        'answer',
      ),
      ...itemColumns.slice(-1),
      textColumn('outcome', ({ first }) => outcomeText(first)),
      textColumn('verdict', ({ first }) => verdictCell(first)),
      textColumn('ruling', ({ first }) => rulingText(first) ?? ''),
      numberColumn(
        'score',
        ({ first }) => shownScore(first),
        (score) => decimals(score),
        '–',
      ),
      numberColumn('turns', ({ first }) => first.result?.turns ?? null, grouped),
      numberColumn(
        'tokens',
        ({ first: { result } }) =>
          result && result.usage.promptTokens + result.usage.completionTokens,
        grouped,
      ),
      { name: 'cost', kind: 'number', cell: ({ first: { result } }) => costCell(result) },
      numberColumn(
        'time',
        ({ first: { result } }) =>
          result && Date.parse(result.endedAt) - Date.parse(result.startedAt),
        shortDuration,
      ),
    ],
    rows: askedIn([reported]),
    filters: {
      outcome: ({ first }) => [outcomeText(first)],
      verdict: ({ first }) => [verdictText(first)],
      ruling: ({ first }) => [rulingText(first) ?? 'nothing in doubt'],
      ...itemFilters,
    },
  });
}

const outcomeText = (answer: RunAnswer): string => outcomeOf(answer) ?? 'not-ended';

/** What was ruled, or that its result is open for a ruling. Null where nothing is in doubt. */
const rulingText = (answer: RunAnswer): string | null =>
  answer.ruling ? decisionNames[answer.ruling.decision] : openFor(answer) && 'open for a ruling';

const costCell = (result: RunAnswer['result']): QuestionCell => ({
  value: result?.costUsd ?? null,
  text: result ? (result.costUsd === null ? '?' : dollars(result.costUsd)) : '',
});

/** `right`, `partly right`, `wrong`, `4 of 5`, or why there is no score. */
function verdictText(answer: RunAnswer): string {
  const score = scoreOf(answer);
  if (score === null) return verdictCountOf(answer);
  if (scaleOfAnswer(answer) === 'one-to-five')
    return `${Number((shownScore(answer) ?? 0).toFixed(2))} of 5`;
  if (score === 1) return 'right';
  return score === 0 ? 'wrong' : 'partly right';
}

/** A verdict with a mark that distinguishes it without colour. */
function verdictCell(answer: RunAnswer): { readonly text: string; readonly mark: string } {
  const score = scoreOf(answer);
  const mark = score === null ? '–' : score === 1 ? '●' : score === 0 ? '○' : '◐';
  return { text: verdictText(answer), mark };
}

/** The questions of all runs, those of the first in its order before those that only others have. */
function askedIn(runs: readonly ReportedRun[]): readonly Asked[] {
  const answersOf = runs.map(
    ({ answers }) => new Map(answers.map((answer) => [keyText(answer), answer])),
  );
  const firsts = new Map(
    runs
      .toReversed()
      .flatMap(({ answers }) => answers.map((answer) => [keyText(answer), answer] as const)),
  );
  const notes = runs.flatMap((run) => run.notes);
  const keys = new Set(runs.flatMap(({ answers }) => answers.map(keyText)));
  return [...keys].flatMap((key) => {
    const first = firsts.get(key);
    if (first === undefined) return [];
    const { uuid, epoch, item } = first;
    const answers = answersOf.map((own) => own.get(key) ?? null);
    return [
      { uuid, epoch, question: item.question, first, answers, notes: notesAbout(notes, first) },
    ];
  });
}

/** What changed from the baseline to another run, by question. */
const flipsOf = ({ candidates }: RunComparison, run: string): ReadonlyMap<string, Flip> =>
  new Map(
    candidates
      .filter(({ summary }) => summary.run === run)
      .flatMap(({ flips }) => flips.map((flip) => [keyText(flip), flip])),
  );

interface Both extends Asked {
  readonly before: RunAnswer;
  readonly after: RunAnswer;
  readonly change: 'better' | 'worse' | 'same' | 'not comparable';
  /** Why the score changed; empty if it did not. */
  readonly because: string;
}

const changeMarks: Readonly<Record<Both['change'], string>> = {
  better: '▲',
  worse: '▼',
  same: '=',
  'not comparable': '–',
};

/** The questions that both runs asked, changed ones first. */
function questionsOfBoth(
  baseline: ReportedRun,
  candidate: ReportedRun,
  comparison: RunComparison,
): QuestionTable {
  const flips = flipsOf(comparison, candidate.run);
  const rows = askedIn([baseline, candidate]).flatMap((asked): readonly Both[] => {
    const [before, after] = asked.answers;
    if (!before || !after) return [];
    const flip = flips.get(keyText(asked));
    const change = flip?.direction ?? (isComparable(before, after) ? 'same' : 'not comparable');
    return [{ ...asked, before, after, change, because: flip?.because ?? '' }];
  });
  const score = (name: 'before' | 'after'): ColumnOf<Both> =>
    numberColumn(
      name,
      (row) => shownScore(row[name]),
      (value) => decimals(value),
      '–',
    );
  const turns = (name: 'before' | 'after'): ColumnOf<Both> =>
    numberColumn(`turns ${name}`, (row) => row[name].result?.turns ?? null, grouped);
  return questionTable<Both>({
    caption: 'Every question of both runs with its answers and scores',
    columns: [
      questionColumn((row) => sidesPath(baseline.run, candidate.run, row)),
      ...itemColumns.filter(({ name }) => name !== 'tags'),
      textColumn('answer before', ({ before }) => replyOf(before), 'answer'),
      textColumn('answer after', ({ after }) => replyOf(after), 'answer'),
      textColumn('change', ({ change }) => ({ text: change, mark: changeMarks[change] })),
      textColumn('because of', ({ because }) => because),
      ...[score('before'), score('after')],
      numberColumn('difference', differenceOf, signed, '–'),
      ...[turns('before'), turns('after')],
    ],
    rows: rows.toSorted((a, b) => Number(a.because === '') - Number(b.because === '')),
    filters: {
      change: ({ change }) => [change],
      because: ({ because }) => (because === '' ? [] : [because]),
      ...itemFilters,
    },
  });
}

const isComparable = (before: RunAnswer, after: RunAnswer): boolean =>
  scoreOf(before) !== null &&
  scoreOf(after) !== null &&
  scaleOfAnswer(before) === scaleOfAnswer(after);

/** The difference of the scores, without what the arithmetic of computers adds. */
function differenceOf({ before, after, change }: Both): number | null {
  const [from, to] = [shownScore(before), shownScore(after)];
  return change === 'not comparable' || from === null || to === null
    ? null
    : Number((to - from).toFixed(6));
}

/** A matrix: a row for each question, a column for each run. */
function questionsOfAll(
  runs: readonly [ReportedRun, ReportedRun, ...ReportedRun[]],
  comparison: RunComparison | null,
): QuestionTable {
  const [first] = runs;
  const flips = runs.map(({ run }) =>
    comparison === null ? new Map<string, Flip>() : flipsOf(comparison, run),
  );
  const verdicts = ({ answers }: Asked): readonly string[] =>
    answers.map((answer) => (answer === null ? '' : verdictText(answer)));
  return questionTable<Asked>({
    caption: 'Every question with the verdict of each run',
    columns: [
      questionColumn(({ answers, ...row }) => {
        const [one, other] = runs.filter((_, at) => answers[at]);
        return other === undefined
          ? questionPath((one ?? first).run, row)
          : sidesPath((one ?? first).run, other.run, row);
      }),
      ...itemColumns,
      ...runs.map(({ run }, at) =>
        textColumn<Asked>(run, (row) => {
          const answer = row.answers[at] ?? null;
          if (answer === null) return '';
          const flip = flips[at]?.get(keyText(row));
          return {
            ...verdictCell(answer),
            value: scoreOf(answer),
            address: questionPath(run, row),
            ...(flip && { under: `${flip.direction}: ${flip.because}` }),
          };
        }),
      ),
    ],
    rows: askedIn(runs),
    filters: {
      runs: (row) => [new Set(verdicts(row)).size > 1 ? 'differ' : 'agree'],
      verdict: (row) => verdicts(row).filter((each) => each !== ''),
      ...itemFilters,
    },
  });
}
