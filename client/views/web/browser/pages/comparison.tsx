import type { JSX } from 'preact';
import { comparedColumns, type ComparedRow } from '../../../page/question-columns.js';
import type { ComparisonData } from '../../page-data.js';
import { pagePaths, pathTo } from '../../page-paths.js';
import { CopyCommand } from '../components/copy-command.jsx';
import { Choice, countsOf, Filter } from '../components/filter.jsx';
import { Html } from '../components/html.jsx';
import { linkedColumns } from '../components/linked-columns.jsx';
import { Page } from '../components/page.jsx';
import type { Column } from '../components/sortable-table.jsx';
import { VirtualTable } from '../components/virtual-table.jsx';
import { navigate, useInAddress } from '../navigation.js';
import { usePage } from '../use-page.js';

interface ComparisonPageProps {
  readonly baseline: string;
  readonly candidate: string;
}

/** Two runs against each other, as `turnwise compare` has it. */
export function ComparisonPage({ baseline, candidate }: ComparisonPageProps): JSX.Element {
  const { data, problem } = usePage<ComparisonData>(
    pathTo(pagePaths.comparison, { baseline, candidate }),
  );
  const [{ change }, setFilter] = useInAddress('change');
  const questions = data?.questions ?? [];
  const shown = questions.filter((row) => change === '' || row.change === change);
  return (
    <Page
      title={`${candidate} against ${baseline}`}
      kind="comparison"
      problem={problem}
      isLoading={data === null}
      bar={
        <p class="buttons">
          <button
            type="button"
            onClick={() =>
              navigate(pathTo(pagePaths.comparison, { baseline: candidate, candidate: baseline }))
            }
          >
            Swap
          </button>
          <CopyCommand words={['compare', baseline, candidate]} />
        </p>
      }
    >
      {data && (
        <>
          <Html html={data.sections} />
          <section aria-labelledby="questions">
            <h2 id="questions">Questions</h2>
            <p>
              Before is {baseline}, after {candidate}.
            </p>
            <Filter label="Questions" shown={shown.length} of={questions.length}>
              <Choice
                name="change"
                value={change}
                choices={countsOf(questions.map((row) => row.change))}
                onChoose={(chosen) => setFilter({ change: chosen })}
              />
            </Filter>
            <VirtualTable
              caption="Questions of both runs"
              kind="compared-rows"
              columns={columnsOf(baseline, candidate)}
              rows={shown}
              keyOf={({ uuid, epoch }) => `${uuid} ${epoch}`}
            />
          </section>
        </>
      )}
    </Page>
  );
}

const columnsOf = (baseline: string, candidate: string): readonly Column<ComparedRow>[] => {
  const { question, change, because, answerBefore, answerAfter, before, after } = comparedColumns;
  return linkedColumns(
    [question, change, because, answerBefore, answerAfter, before, after],
    ({ uuid, epoch }) => pathTo(pagePaths.sides, { baseline, candidate, uuid, epoch }),
  );
};
