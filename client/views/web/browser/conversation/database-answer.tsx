import type { ComponentChildren, JSX } from 'preact';
import { joined, shortDuration } from '../../../../../domain/formats/text.js';
import type { PageDatabaseAnswer, PagePanel, PageQuery } from '../../../page/page-question.js';
import { ResultTable, Sql } from '../components/result-table.jsx';

/** The sub-tasks of an answer, each of which a panel reviews. */
const subTaskNames = {
  IP: 'interaction planning',
  TE: 'tool employment',
  IS: 'information synthesis',
} as const;

/** How an answer over a database came about: its plan, its queries, and a panel for each sub-task. Two answers stand side by side. */
export const databaseAnswerParts = (answer: PageDatabaseAnswer | null): readonly JSX.Element[] => [
  <Plan key="plan" answer={answer} />,
  <Queries key="queries" queries={answer?.queries ?? []} />,
  ...Object.entries(subTaskNames).map(([subTask, name]) => (
    <Panel
      key={subTask}
      name={`Review of ${name}`}
      panel={answer?.panels.find((panel) => panel.subTask === subTask)}
    />
  )),
];

interface PartProps {
  readonly name: string;
  readonly figures: string;
  readonly children?: ComponentChildren;
}

const Part = ({ name, figures, children }: PartProps): JSX.Element => (
  <article class="turn">
    <h2>{name}</h2>
    <p class="figures">{figures}</p>
    {children}
  </article>
);

function Plan({ answer }: { readonly answer: PageDatabaseAnswer | null }): JSX.Element {
  if (answer === null) return <Part name="Plan" figures="Nothing is stored of this answer." />;
  const { plan, stoppedBy, method } = answer;
  if (method === 'no-interaction')
    return <Part name="Plan" figures="None: the prompt had all rows." />;
  const length = plan.text === '' ? 'no plan' : lengthText(plan);
  return (
    <Part
      name="Plan"
      figures={`${length}${stoppedBy === 'cap' ? ' · the turns were used up' : ''}`}
    >
      {plan.text !== '' && <p class="thought long">{plan.text}</p>}
    </Part>
  );
}

export const lengthText = ({ words, tokens }: PageDatabaseAnswer['answer']): string =>
  `${words} words, ${tokens} tokens`;

function Queries({ queries }: { readonly queries: readonly PageQuery[] }): JSX.Element {
  const generated = queries.filter(({ repairOf }) => repairOf === null);
  const valid = generated.filter(({ status }) => status === 'rows');
  return (
    <Part
      name="Queries"
      figures={
        queries.length === 0
          ? 'The database was not questioned.'
          : `${generated.length} generated, ${valid.length} valid`
      }
    >
      {queries.map((query, at) => (
        <Query key={at} query={query} number={at + 1} />
      ))}
    </Part>
  );
}

interface QueryProps {
  readonly query: PageQuery;
  readonly number: number;
}

function Query({ query, number }: QueryProps): JSX.Element {
  const { sql, round, repairOf, status, rows, moreRows, ms, error, shown, table } = query;
  const facts = joined(
    ' · ',
    `query ${number}`,
    round > 1 && `round ${round}`,
    repairOf !== null && `repairs query ${repairOf + 1}`,
    status === 'rows' ? `${rows}${moreRows ? ' or more' : ''} rows` : status,
    ms !== null && shortDuration(ms),
  );
  return (
    <div class="query">
      <p class="figures">{facts}</p>
      <Sql sql={sql} />
      {error !== null && <p class="failure">{error}</p>}
      {table && <ResultTable name={`Result of query ${number}`} table={table} shown={shown} />}
      {!table && error === null && shown !== '' && <pre>{shown}</pre>}
    </div>
  );
}

interface PanelProps {
  readonly name: string;
  readonly panel: PagePanel | undefined;
}

function Panel({ name, panel }: PanelProps): JSX.Element {
  if (!panel) return <Part name={name} figures="Not reviewed." />;
  const { outcome, reviewers, metaReviewers, reversed } = panel;
  const isReviewed = outcome === 'perfect' || outcome === 'imperfect';
  return (
    <Part name={name} figures={isReviewed ? outcome : `unreviewed, ${outcome}`}>
      <Members name="Reviewers" members={reviewers} />
      <Members name="Meta-reviewers" members={metaReviewers} reversed={reversed} />
    </Part>
  );
}

interface MembersProps {
  readonly name: string;
  readonly members: PagePanel['reviewers'];
  readonly reversed?: PagePanel['reversed'];
}

const Members = ({ name, members, reversed }: MembersProps): JSX.Element => (
  <div class="members">
    <h3>{name}</h3>
    {members.map(({ model, decision, rationale }, at) => (
      <details key={at}>
        <summary>
          <strong>{decision ?? 'missing'}</strong> {model}
          {reversed?.[at] && `, in reverse order ${reversed[at]}`}
        </summary>
        <p class="long">{rationale === '' ? 'Without reasons.' : rationale}</p>
      </details>
    ))}
  </div>
);
