import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { questionColumns, type QuestionRow } from '../../../page/question-columns.js';
import type { QuestionName, QuestionsData } from '../../page-data.js';
import { pagePaths, partPaths, pathTo } from '../../page-paths.js';
import { Choice, countsOf, Filter, TextFilter } from '../components/filter.jsx';
import { linkedColumns } from '../components/linked-columns.jsx';
import type { Column } from '../components/sortable-table.jsx';
import { VirtualTable } from '../components/virtual-table.jsx';
import { useInAddress } from '../navigation.js';
import { usePage } from '../use-page.js';

interface QuestionListProps {
  readonly run: string;
  /** Questions that have ended: the list is loaded again when there are others. */
  readonly ended: number;
}

/** The choices of the filter by score. */
const scores: Readonly<Record<string, (row: QuestionRow) => boolean>> = {
  'full score': ({ share }) => share === 1,
  'less than full': ({ share }) => share !== null && share < 1,
  zero: ({ share }) => share === 0,
  'no score': ({ share }) => share === null,
};

/** How often the list is loaded while questions end. A long one is megabytes. */
const reloadMs = 1_000;
const reloadLongMs = 10_000;
const longList = 2_000;

/** A value that changes at most once in so many milliseconds, and then to the latest one. */
function useRarely<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  latest.current = value;
  const isOld = shown !== value;
  useEffect(() => {
    if (!isOld) return undefined;
    const timer = setTimeout(() => setShown(latest.current), ms);
    return () => clearTimeout(timer);
  }, [isOld, shown, ms]);
  return shown;
}

/** Of each run, the questions that the list shows, in its order. */
const shownOf = new Map<string, readonly QuestionName[]>();

/** Empty where the list was not shown yet. */
export const shownQuestions = (run: string): readonly QuestionName[] =>
  (shownOf.get(run) ?? []).map(({ uuid, epoch }) => ({ uuid, epoch }));

export function QuestionList({ run, ended }: QuestionListProps): JSX.Element {
  const [isLong, setLong] = useState(false);
  const version = useRarely(ended, isLong ? reloadLongMs : reloadMs);
  const { data, problem } = usePage<QuestionsData>(pathTo(partPaths.questions, { run }), version);
  const [filter, setFilter] = useInAddress('text', 'outcome', 'score');
  if (data === null) return <p class="faint">{problem ?? 'Loading …'}</p>;
  const { questions } = data;
  if (!isLong && questions.length > longList) setLong(true);
  const text = filter.text.trim().toLowerCase();
  const shown = questions.filter(
    (row) =>
      (filter.outcome === '' || row.outcome === filter.outcome) &&
      (scores[filter.score]?.(row) ?? true) &&
      (text === '' || textOf(row).includes(text)),
  );
  return (
    <>
      <Filter label="Questions" shown={shown.length} of={questions.length}>
        <TextFilter
          name="question-text"
          placeholder="question, answer, tag, id"
          value={filter.text}
          onInput={(typed) => setFilter({ text: typed })}
        />
        <Choice
          name="outcome"
          value={filter.outcome}
          choices={countsOf(questions.map(({ outcome }) => outcome))}
          onChoose={(outcome) => setFilter({ outcome })}
        />
        <Choice
          name="score"
          value={filter.score}
          choices={Object.entries(scores).map(([name, fits]) => [
            name,
            questions.filter(fits).length,
          ])}
          onChoose={(score) => setFilter({ score })}
        />
        <button type="button" onClick={() => setFilter({ text: '', outcome: '', score: '' })}>
          show all
        </button>
      </Filter>
      <VirtualTable
        caption="Questions of the run"
        kind="question-rows"
        columns={columnsOf(run)}
        rows={shown}
        onOrder={(rows) => shownOf.set(run, rows)}
        keyOf={({ uuid, epoch }) => `${uuid} ${epoch}`}
      />
    </>
  );
}

const textOf = ({ uuid, question, answer, tags }: QuestionRow): string =>
  `${uuid} ${question} ${answer} ${tags.join(' ')}`.toLowerCase();

const { question, answer, outcome, score, turns, cost, time } = questionColumns;

const columnsOf = (run: string): readonly Column<QuestionRow>[] =>
  linkedColumns([question, answer, outcome, score, turns, cost, time], ({ uuid, epoch }) =>
    pathTo(pagePaths.question, { run, uuid, epoch }),
  );
