import type { JSX } from 'preact';
import { visibleText } from '../../../../../domain/formats/text.js';
import type { QuestionData, SidesData } from '../../page-data.js';
import { pagePaths, pathTo } from '../../../page/page-paths.js';
import { Actions } from '../components/actions.jsx';
import { CopyCommand, Links, Page, TemporalLink } from '../components/page.jsx';
import {
  Notes,
  cancelQuestionAction,
  noteAction,
  retryAction,
  ruleAction,
} from '../run-actions.jsx';
import { listWith } from '../components/question-table.jsx';
import { StepLinks } from '../components/step-links.jsx';
import { QuestionView, SidesView } from '../conversation/question.jsx';
import { hrefTo, isFile } from '../navigation.js';
import { usePage } from '../use-page.js';

interface QuestionPageProps {
  readonly run: string;
  readonly uuid: string;
  readonly epoch: string;
}

/** The command that shows a conversation. */
const trajectoryWords = (run: string, uuid: string, epoch: number): readonly string[] => [
  ...['trajectory', run, uuid],
  ...(epoch > 1 ? ['--epoch', String(epoch)] : []),
];

/** The conversation of a question, as in the report. */
export function QuestionPage({ run, uuid, epoch }: QuestionPageProps): JSX.Element {
  const { data, problem, reload } = usePage<QuestionData>(
    pathTo(pagePaths.question, { run, uuid, epoch }),
  );
  const actions = [
    ...(data?.can === 'cancel' ? [cancelQuestionAction(run, uuid, Number(epoch))] : []),
    ...(data?.can === 'retry' ? [retryAction(run, uuid)] : []),
    ...(isFile ? [] : [noteAction(run, { uuid, epoch: Number(epoch) })]),
    ...(isFile || data?.question.end == null ? [] : [ruleAction(run, uuid, Number(epoch))]),
  ];
  return (
    <Page
      title={data?.question.question ?? 'Question'}
      hasHeading={data !== null}
      kind={
        <QuestionSteps
          here={pathTo(pagePaths.question, { run, uuid, epoch })}
          back={[pathTo(pagePaths.run, { run }), run]}
        />
      }
      problem={problem}
      isLoading={data === null}
      bar={
        data && (
          <>
            {data.temporalUrl !== null && (
              <Links label="This question">
                <TemporalLink url={data.temporalUrl} />
              </Links>
            )}
            <Actions actions={actions} onDone={reload} />
            <p class="buttons">
              <CopyCommand words={trajectoryWords(run, uuid, Number(epoch))} />
            </p>
          </>
        )
      }
    >
      {data && (
        <div class="conversation">
          <QuestionView
            question={data.question}
            pictureAt={(place) => data.pictures[place] ?? ''}
            notes={
              <>
                {data.question.rulings.map((text) => (
                  <p key={text} class="note">
                    {visibleText(text)}
                  </p>
                ))}
                <Notes run={run} notes={data.question.notes} onDone={reload} />
              </>
            }
          />
        </div>
      )}
    </Page>
  );
}

interface QuestionStepsProps {
  readonly here: string;
  /** Where the reader goes who came from no list. */
  readonly back: readonly [path: string, name: string];
}

/** Leads through the list from which the reader came. */
function QuestionSteps({ here, back }: QuestionStepsProps): JSX.Element {
  const list = listWith(here) ?? { back, links: [] };
  const [path, name] = list.back;
  return (
    <StepLinks
      label="Questions"
      back={[hrefTo(path), name]}
      links={list.links.map(hrefTo)}
      here={hrefTo(here)}
    />
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
  return (
    <Page
      title={data?.before.question ?? 'Question in two runs'}
      hasHeading={data !== null}
      kind={
        <QuestionSteps
          here={pathTo(pagePaths.sides, { ...parameters })}
          back={[
            pathTo(pagePaths.comparison, { baseline, candidates: candidate }),
            `${candidate} against ${baseline}`,
          ]}
        />
      }
      problem={problem}
      isLoading={data === null}
    >
      {data && (
        <div class="conversation">
          <SidesView
            before={data.before}
            after={data.after}
            pictureAt={(place) => data.pictures[place] ?? ''}
          />
        </div>
      )}
    </Page>
  );
}
