import type { JSX } from 'preact';
import { questionView } from '../../../page/browser/question-view.js';
import { sidesView } from '../../../page/browser/sides-view.js';
import { countText } from '../../../page/browser/figure-text.js';
import type { QuestionData, QuestionName, SidesData } from '../../page-data.js';
import { pagePaths, pathTo } from '../../page-paths.js';
import { Actions } from '../components/actions.jsx';
import { Nodes } from '../components/nodes.jsx';
import { Page } from '../components/page.jsx';
import { useSqlFormatter } from '../components/sql-formatter.js';
import { retryAction, skipAction } from '../run-actions.jsx';
import { usePage } from '../use-page.js';
import { shownQuestions } from './question-list.jsx';

interface QuestionPageProps {
  readonly run: string;
  readonly uuid: string;
  readonly epoch: string;
}

/** The conversation of a question, as in the report. */
export function QuestionPage({ run, uuid, epoch }: QuestionPageProps): JSX.Element {
  const { data, problem, reload } = usePage<QuestionData>(
    pathTo(pagePaths.question, { run, uuid, epoch }),
  );
  const isReady = useSqlFormatter();
  const actions =
    data?.can === 'skip'
      ? [skipAction(run, uuid, Number(epoch))]
      : data?.can === 'retry'
        ? [retryAction(run, uuid)]
        : [];
  return (
    <Page
      title={data?.question.question ?? 'Question'}
      hasHeading={data !== null}
      kind={<StepLinks run={run} uuid={uuid} epoch={epoch} />}
      problem={problem}
      isLoading={data === null || !isReady}
      bar={
        data && (
          <>
            {data.temporalUrl !== null && (
              <nav aria-label="This question">
                <ul>
                  <li>
                    <a href={data.temporalUrl} target="_blank" rel="noreferrer">
                      Temporal UI
                    </a>
                  </li>
                </ul>
              </nav>
            )}
            <Actions actions={actions} onDone={reload} />
          </>
        )
      }
    >
      {data && (
        <div class="conversation">
          <Nodes
            of={data}
            make={() => questionView(data.question, (place) => data.pictures[place] ?? '')}
          />
        </div>
      )}
    </Page>
  );
}

/** Leads to the questions before and after this one in the list, as it was filtered and sorted. */
function StepLinks({ run, uuid, epoch }: QuestionPageProps): JSX.Element {
  const shown = shownQuestions(run);
  const at = shown.findIndex((each) => each.uuid === uuid && String(each.epoch) === epoch);
  const link = (name: string, question: QuestionName | undefined): JSX.Element | null =>
    question === undefined ? null : (
      <a href={pathTo(pagePaths.question, { run, ...question })}>{name}</a>
    );
  return (
    <nav class="steps" aria-label="Questions">
      <a href={pathTo(pagePaths.run, { run })}>← {run}</a>
      {at > 0 && link('previous', shown[at - 1])}
      {at !== -1 && link('next', shown[at + 1])}
      {at !== -1 && (
        <span class="faint">
          {countText(at + 1)} of {countText(shown.length)}
        </span>
      )}
    </nav>
  );
}

interface SidesPageProps {
  readonly baseline: string;
  readonly candidate: string;
  readonly uuid: string;
  readonly epoch: string;
}

/** A question in two runs, side by side. */
export function SidesPage(parameters: SidesPageProps): JSX.Element {
  const { baseline, candidate } = parameters;
  const { data, problem } = usePage<SidesData>(pathTo(pagePaths.sides, { ...parameters }));
  const isReady = useSqlFormatter();
  return (
    <Page
      title={data?.before.question ?? 'Question in two runs'}
      hasHeading={data !== null}
      kind={
        <a href={pathTo(pagePaths.comparison, { baseline, candidate })}>
          ← {candidate} against {baseline}
        </a>
      }
      problem={problem}
      isLoading={data === null || !isReady}
    >
      {data && (
        <div class="conversation">
          <Nodes
            of={data}
            make={() => sidesView(data.before, data.after, (place) => data.pictures[place] ?? '')}
          />
        </div>
      )}
    </Page>
  );
}
