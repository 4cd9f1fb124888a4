import type { JSX } from 'preact';
import type {
  RunRow,
  RunsData,
  EvaluationData,
  EvaluationRow,
  EvaluationsData,
} from '../../page-data.js';
import { pagePaths, pathTo } from '../../../page/page-paths.js';
import { Filter, TextFilter } from '../components/filter.jsx';
import { Page, Html, Section } from '../components/page.jsx';
import {
  SortableTable,
  instantColumn,
  textColumn,
  type Column,
  countColumn,
} from '../components/table.jsx';
import { navigate, useInAddress, useRemembered } from '../navigation.js';
import { instantText, intervalText } from '../texts.js';
import { usePage } from '../use-page.js';
import { decimals, visibleText } from '../../../../../domain/formats/text.js';

export function RunsPage(): JSX.Element {
  const { data, problem } = usePage<RunsData>(pagePaths.runs);
  const [{ text }, setFilter] = useInAddress('text');
  const [chosen, setChosen] = useRemembered<readonly string[]>('chosen', []);
  const runs = data?.runs ?? [];
  const shown = runs.filter((run) => textOf(run).includes(text.trim().toLowerCase()));
  const choose = (run: string): void =>
    setChosen(chosen.includes(run) ? chosen.filter((each) => each !== run) : [...chosen, run]);
  return (
    <Page title="Runs" kind={data?.home ?? ''} problem={problem} isLoading={data === null}>
      {data?.runs.length === 0 ? (
        <p class="note">
          There are no runs yet. <code>turnwise demo</code> makes one, and so does{' '}
          <code>turnwise run</code>.
        </p>
      ) : (
        <>
          <Filter label="Runs" shown={shown.length} of={runs.length}>
            <TextFilter
              name="text"
              placeholder="name, state, method, model, tag"
              value={text}
              onInput={(typed) => setFilter({ text: typed })}
            />
          </Filter>
          <SortableTable
            caption="All runs"
            kind="runs"
            columns={runColumns}
            rows={shown}
            keyOf={({ run }) => run}
            lead={{
              name: 'compare',
              cell: ({ run }) => (
                <input
                  type="checkbox"
                  aria-label={`compare ${run}`}
                  checked={chosen.includes(run)}
                  onChange={() => choose(run)}
                />
              ),
            }}
          />
          <ChosenRuns chosen={chosen} choose={setChosen} />
        </>
      )}
      <nav aria-label="Stores">
        <ul>
          {data?.stores.map((store) => (
            <li key={store}>
              Store <a href={pathTo(pagePaths.store, { store })}>{store}</a>
            </li>
          ))}
        </ul>
      </nav>
    </Page>
  );
}

const textOf = ({ run, state, method, model, dataset, startedAt, tags }: RunRow): string =>
  [run, state, method, model, dataset, instantText(startedAt), ...tags].join(' ').toLowerCase();

interface ChosenRunsProps {
  readonly chosen: readonly string[];
  readonly choose: (runs: readonly string[]) => void;
}

/** The runs that are to be compared, at the lower edge of the window. */
function ChosenRuns({ chosen, choose }: ChosenRunsProps): JSX.Element | null {
  const [baseline, ...candidates] = chosen;
  if (baseline === undefined) return null;
  const address = pathTo(pagePaths.comparison, { baseline, candidates: candidates.join(',') });
  return (
    <section class="chosen" aria-label="Comparison" aria-live="polite">
      <p>
        Baseline <strong>{baseline}</strong>
        {candidates.length === 0 ? '. Choose the runs to compare with it.' : ' against '}
        <strong>{candidates.join(', ')}</strong>
      </p>
      <p class="buttons">
        {candidates.length > 0 && (
          <button type="button" class="first" onClick={() => navigate(address)}>
            Compare
          </button>
        )}
        <button type="button" onClick={() => choose([])}>
          Clear
        </button>
      </p>
    </section>
  );
}

/** The state of a run, or of an evaluation. */
const StateCell = ({ state }: Pick<RunRow, 'state'>): JSX.Element => (
  <span class={`state ${state}`}>{state}</span>
);

/** How many of its questions have ended, and how many of these for outside reasons. */
const EndedCell = ({
  ended,
  samples,
  failed,
}: Pick<RunRow, 'ended' | 'samples' | 'failed'>): JSX.Element => (
  <>
    {ended === null ? '?' : ended.toLocaleString('en-US')} of {samples.toLocaleString('en-US')}
    {failed > 0 && <span class="under failure">{failed} failed</span>}
  </>
);

/** The columns of a table of runs. */
const runColumns: readonly Column<RunRow>[] = [
  {
    name: 'run',
    value: ({ run }) => run,
    cell: ({ run, tags }) => (
      <>
        <a href={pathTo(pagePaths.run, { run })}>{run}</a>
        {tags.length > 0 && <span class="under"> {visibleText(tags.join(', '))}</span>}
      </>
    ),
    kind: 'question',
  },
  { name: 'state', value: ({ state }) => state, cell: StateCell },
  {
    name: 'score',
    isNumber: true,
    value: ({ scores }) => scores?.[0]?.mean ?? null,
    cell: ({ scores }) =>
      scores === null || scores.length === 0
        ? '–'
        : scores.map((score) => (
            <span class="score-cell" key={score.scale}>
              {decimals(score.mean)}
              {score.scale} <span class="under">{intervalText(score)}</span>
            </span>
          )),
  },
  {
    name: 'cost',
    isNumber: true,
    value: ({ costUsd }) => costUsd,
    cell: ({ cost }) => (cost === '' ? '–' : cost),
  },
  { name: 'questions', isNumber: true, value: ({ ended }) => ended, cell: EndedCell },
  instantColumn('started (UTC)', ({ startedAt }) => startedAt),
  textColumn('method', ({ method }) => method),
  textColumn('model', ({ model }) => model, 'breaks'),
  textColumn('dataset', ({ dataset }) => dataset, 'breaks'),
];

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
