import type { JSX } from 'preact';
import type { EvaluationData, EvaluationRow, EvaluationsData } from '../../page-data.js';
import { pagePaths, pathTo } from '../../../page/page-paths.js';
import { Html, Page, Section } from '../components/page.jsx';
import { SortableTable, countColumn, instantColumn, type Column } from '../components/table.jsx';
import { usePage } from '../use-page.js';
import { EndedCell, runColumns, StateCell } from './runs.jsx';

/** All evaluations. */
export function EvaluationsPage(): JSX.Element {
  const { data, problem } = usePage<EvaluationsData>(pagePaths.evaluations);
  return (
    <Page title="Evaluations" kind={data?.home ?? ''} problem={problem} isLoading={data === null}>
      {data?.evaluations.length === 0 ? (
        <p class="note">
          There are no evaluations yet. <code>turnwise eval</code> makes one.
        </p>
      ) : (
        <SortableTable
          caption="All evaluations"
          kind="runs evaluations"
          columns={evaluationColumns}
          rows={data?.evaluations ?? []}
          keyOf={({ evaluation }) => evaluation}
        />
      )}
    </Page>
  );
}

const evaluationColumns: readonly Column<EvaluationRow>[] = [
  {
    name: 'evaluation',
    value: ({ evaluation }) => evaluation,
    cell: ({ evaluation }) => (
      <a href={pathTo(pagePaths.evaluation, { evaluation })}>{evaluation}</a>
    ),
    kind: 'question',
  },
  { name: 'state', value: ({ state }) => state, cell: StateCell },
  countColumn('runs', ({ runs }) => runs),
  { name: 'questions', isNumber: true, value: ({ ended }) => ended, cell: EndedCell },
  { name: 'cost', isNumber: true, value: ({ costUsd }) => costUsd, cell: ({ cost }) => cost },
  instantColumn('started (UTC)', ({ startedAt }) => startedAt),
];

/** The runs of an evaluation, their scores and their differences. */
export function EvaluationPage({ evaluation }: { readonly evaluation: string }): JSX.Element {
  const { data, problem } = usePage<EvaluationData>(pathTo(pagePaths.evaluation, { evaluation }));
  return (
    <Page title={evaluation} kind="evaluation" problem={problem} isLoading={data === null}>
      {data && (
        <>
          <Section id="runs" title="Runs">
            <SortableTable
              caption={`Runs of evaluation ${evaluation}`}
              kind="runs"
              columns={runColumns}
              rows={data.rows}
              keyOf={({ run }) => run}
            />
          </Section>
          <Html html={data.sections} />
        </>
      )}
    </Page>
  );
}
