import type { JSX } from 'preact';
import { isLeftFor } from '../../../../../domain/building/waiting.js';
import { grouped } from '../../../../../domain/formats/text.js';
import type { DatasetData, DatasetRow, DatasetsData, GateRow } from '../../page-data.js';
import { actionPaths, pagePaths, pathTo } from '../../../page/page-paths.js';
import { Actions, type Action } from '../components/actions.jsx';
import { Facts, Page, Section, type Fact } from '../components/page.jsx';
import { Choice, countsOf, Filter, TextFilter } from '../components/filter.jsx';
import {
  SortableTable,
  VirtualTable,
  countColumn,
  instantColumn,
  textColumn,
  type Column,
} from '../components/table.jsx';
import { useInAddress } from '../navigation.js';
import { thisPerson } from '../form.jsx';
import { usePage } from '../use-page.js';

/** All datasets that are built. */
export function DatasetsPage(): JSX.Element {
  const { data, problem } = usePage<DatasetsData>(pagePaths.datasets);
  return (
    <Page title="Datasets" kind={data?.home ?? ''} problem={problem} isLoading={data === null}>
      {data?.datasets.length === 0 ? (
        <p class="note">
          No dataset is being built. <code>turnwise dataset build</code> begins one.
        </p>
      ) : (
        <SortableTable
          caption="Datasets that are built"
          kind="datasets"
          columns={datasetColumns}
          rows={data?.datasets ?? []}
          keyOf={({ dataset }) => dataset}
        />
      )}
    </Page>
  );
}

const inState = ({ states }: DatasetRow, wanted: string): number =>
  states.find(({ name }) => name === wanted)?.count ?? 0;

const datasetColumns: readonly Column<DatasetRow>[] = [
  {
    name: 'dataset',
    value: ({ dataset }) => dataset,
    cell: ({ dataset }) => <a href={pathTo(pagePaths.dataset, { dataset })}>{dataset}</a>,
    kind: 'breaks',
  },
  countColumn('waiting', ({ waiting }) => waiting),
  countColumn('done', (row) => inState(row, 'done')),
  countColumn('rejected', (row) => inState(row, 'rejected')),
  countColumn('items', ({ items }) => items),
  textColumn('model', ({ model }) => model, 'breaks'),
];

/** Of each dataset, the items that the list shows, in its order. */
const shownOf = new Map<string, readonly string[]>();

/** Empty where the list was not shown yet. */
export const shownItems = (dataset: string): readonly string[] => shownOf.get(dataset) ?? [];

/** How far a dataset is, and the items that wait for a person. */
export function DatasetPage({ dataset }: { readonly dataset: string }): JSX.Element {
  const { data, problem, reload } = usePage<DatasetData>(pathTo(pagePaths.dataset, { dataset }));
  return (
    <Page
      title={dataset}
      kind="dataset that is built"
      problem={problem}
      isLoading={data === null}
      bar={data && <Actions actions={[pausing(data)]} onDone={reload} />}
    >
      {data && (
        <>
          {data.paused && (
            <p class="note problem">
              The dataset is paused: no model is asked. People go on deciding.
            </p>
          )}
          <Facts
            label="Items by state"
            facts={[
              ['items', grouped(data.items)],
              ...data.states.map(({ name, count }): Fact => [name, grouped(count)]),
            ]}
          />
          <GateList dataset={dataset} gates={data.gates} />
        </>
      )}
    </Page>
  );
}

const pausing = ({ dataset, paused }: DatasetData): Action => ({
  name: paused ? 'Resume' : 'Pause',
  title: `${paused ? 'Resume' : 'Pause'} ${dataset}?`,
  confirm: paused ? 'Resume' : 'Pause',
  path: pathTo(paused ? actionPaths.resumeDataset : actionPaths.pauseDataset, { dataset }),
  text: paused ? (
    <p>Models are asked again, with the prompts that the dataset has now.</p>
  ) : (
    <p>Calls under way end, and no other is made. People go on deciding.</p>
  ),
});

interface GateListProps {
  readonly dataset: string;
  readonly gates: readonly GateRow[];
}

function GateList({ dataset, gates }: GateListProps): JSX.Element {
  const [filter, setFilter] = useInAddress('text', 'gate', 'person');
  const text = filter.text.trim().toLowerCase();
  const person = filter.person.trim();
  const shown = gates.filter(
    (row) =>
      (filter.gate === '' || row.gate === filter.gate) &&
      (person === '' || isLeftFor(row, person)) &&
      (text === '' || `${row.item} ${row.question} ${row.parked}`.toLowerCase().includes(text)),
  );
  const me = thisPerson();
  return (
    <Section id="gates" title="Waiting for a decision">
      {gates.length === 0 ? (
        <p class="note">No item waits for a person.</p>
      ) : (
        <>
          <Filter label="Items that wait" shown={shown.length} of={gates.length}>
            <TextFilter
              name="item-text"
              placeholder="question, item"
              value={filter.text}
              onInput={(typed) => setFilter({ text: typed })}
            />
            <Choice
              name="gate"
              value={filter.gate}
              choices={countsOf(gates.map(({ gate }) => gate))}
              onChoose={(gate) => setFilter({ gate })}
            />
            <TextFilter
              label="left for"
              name="person"
              placeholder="a name"
              list="people"
              value={filter.person}
              onInput={(typed) => setFilter({ person: typed })}
            />
            <datalist id="people">
              {[...new Set([me, ...gates.flatMap(({ assigned }) => assigned)])]
                .filter((name) => name !== '')
                .map((name) => (
                  <option key={name} value={name} />
                ))}
            </datalist>
          </Filter>
          <VirtualTable
            caption="Items that wait for a decision"
            kind="gate-rows"
            columns={gateColumns(dataset)}
            rows={shown}
            onOrder={(rows) =>
              shownOf.set(
                dataset,
                rows.map(({ item }) => item),
              )
            }
            keyOf={({ item }) => item}
          />
        </>
      )}
    </Section>
  );
}

const gateColumns = (dataset: string): readonly Column<GateRow>[] => [
  {
    name: 'question',
    value: ({ question }) => question,
    cell: ({ item, question }) => (
      <a href={pathTo(pagePaths.item, { dataset, item })}>{question || item}</a>
    ),
  },
  textColumn('item', ({ item }) => item),
  {
    name: 'gate',
    value: ({ gate, parked }) => `${gate} ${parked}`,
    cell: ({ gate, parked }) => (parked === '' ? gate : `${gate}: ${parked}`),
  },
  textColumn('for', whose),
  instantColumn('since (UTC)', ({ since }) => since),
];

function whose({ assigned, decidedBy, adjudicates }: GateRow): string {
  if (adjudicates) return 'annotators differ';
  if (assigned.length > 0) return assigned.filter((name) => !decidedBy.includes(name)).join(', ');
  return decidedBy.length === 0 ? 'everybody' : `everybody but ${decidedBy.join(', ')}`;
}
