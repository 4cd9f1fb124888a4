import type { JSX } from 'preact';
import { decimals, visibleText } from '../../../../../domain/formats/text.js';
import type { RunRow } from '../../page-data.js';
import { pagePaths, pathTo } from '../../../page/page-paths.js';
import type { Column } from '../components/sortable-table.jsx';
import { instantText, intervalText } from '../texts.js';

/** The state of a run, or of an evaluation. */
export const StateCell = ({ state }: Pick<RunRow, 'state'>): JSX.Element => (
  <span class={`state ${state}`}>{state}</span>
);

/** How many of its questions have ended, and how many of these for outside reasons. */
export const EndedCell = ({
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
export const runColumns: readonly Column<RunRow>[] = [
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
  {
    name: 'state',
    value: ({ state }) => state,
    cell: StateCell,
  },
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
  {
    name: 'questions',
    isNumber: true,
    value: ({ ended }) => ended,
    cell: EndedCell,
  },
  {
    name: 'started (UTC)',
    value: ({ startedAt }) => startedAt,
    cell: ({ startedAt }) => instantText(startedAt),
    kind: 'when',
  },
  { name: 'method', value: ({ method }) => method, cell: ({ method }) => method },
  { name: 'model', value: ({ model }) => model, cell: ({ model }) => model, kind: 'breaks' },
  {
    name: 'dataset',
    value: ({ dataset }) => dataset,
    cell: ({ dataset }) => dataset,
    kind: 'breaks',
  },
];
