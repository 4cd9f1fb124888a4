import { phaseOf } from '../../../../domain/building/item.js';
import { countStates } from '../../../../domain/building/dataset-summary.js';
import { toldOf } from '../../../../domain/building/decision-problem.js';
import { shownTable } from '../../../../domain/building/shown-table.js';
import { preview } from '../../../../domain/formats/text.js';
import { textDifference } from '../../../../domain/formats/text-difference.js';
import { categories } from '../../../../domain/scoring/dataset-item.js';
import {
  datasetNameSchema,
  itemIdSchema,
  type DatasetName,
  type ItemId,
} from '../../../../domain/ids.js';
import { UserError } from '../../../../domain/user-error.js';
import {
  builtDatasets,
  keptBuildReader,
  readBuiltDataset,
  type BuiltDataset,
} from '../../../runs/building/dataset-files.js';
import {
  showGate,
  waitingGates,
  type ShownGate,
  type ShownPart,
  type WaitingGate,
} from '../../../runs/building/gates.js';
import { criteria } from '../../building-text.js';
import type {
  DatasetData,
  DatasetRow,
  DatasetsData,
  DecisionData,
  GateRow,
  ItemData,
  OpenGate,
  PartData,
} from '../page-data.js';
import { pagePaths } from '../../page/page-paths.js';
import type { ViewHome } from '../view-home.js';
import { viewPage, type PathParameters, type ViewPage } from '../view-page.js';
import { refreshMsOf } from './runs-page.js';

/** Of a question in a list. */
const questionShown = 160;

/** The datasets that are built, the items of one that wait for a person, and one item. */
export function datasetPages({ environment }: ViewHome): readonly ViewPage[] {
  const reader = keptBuildReader(environment);
  const refreshMs = refreshMsOf(environment);
  const read = (dataset: DatasetName): Promise<BuiltDataset> =>
    readBuiltDataset(environment, dataset, reader);
  return [
    viewPage<DatasetsData>(
      pagePaths.datasets,
      async () => {
        const datasets: DatasetRow[] = [];
        for (const name of await builtDatasets(environment)) datasets.push(rowOf(await read(name)));
        return { home: environment.TURNWISE_HOME, datasets };
      },
      refreshMs,
    ),
    viewPage<DatasetData>(
      pagePaths.dataset,
      async (parameters) => {
        const built = await read(datasetIn(parameters));
        const { annotators } = built.build;
        return { ...rowOf(built), annotators, gates: waitingGates(built).map(gateRow) };
      },
      refreshMs,
    ),
    viewPage(
      pagePaths.item,
      async (parameters) => {
        const { dataset, item } = itemIn(parameters);
        return itemData(await showGate(environment, dataset, item));
      },
      refreshMs,
    ),
  ];
}

/** Throws UserError where it cannot be the name of one. */
export function datasetIn({ dataset = '' }: PathParameters): DatasetName {
  const { data } = datasetNameSchema.safeParse(dataset);
  if (data !== undefined) return data;
  throw new UserError(`there is no dataset ${dataset}`);
}

/** Throws UserError where it cannot be one. */
export function itemIn(parameters: PathParameters): {
  readonly dataset: DatasetName;
  readonly item: ItemId;
} {
  const dataset = datasetIn(parameters);
  const { item = '' } = parameters;
  const { data } = itemIdSchema.safeParse(item);
  if (data !== undefined) return { dataset, item: data };
  throw new UserError(`dataset ${dataset} has no item ${item}`);
}

function rowOf({ build, items }: BuiltDataset): DatasetRow {
  const states = countStates(items, build.seeds.length);
  return {
    dataset: build.dataset,
    model: build.model.name,
    paused: build.paused,
    items: build.seeds.length,
    waiting: items.filter(({ gate }) => gate !== null).length,
    states: Object.entries(states)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => ({ name, count })),
  };
}

const gateRow = (waiting: WaitingGate): GateRow => {
  const { item, gate, since, parked, question, assigned, decidedBy, adjudicates } = waiting;
  return {
    ...{ item, gate, since, assigned, decidedBy, adjudicates },
    parked: parked?.reason ?? '',
    question: preview(question, questionShown),
  };
};

function itemData(shown: ShownGate): ItemData {
  const { dataset, item, state, annotators, seedQuestion, schema, parts, decisions } = shown;
  return {
    ...{ dataset, item, state, annotators, seedQuestion, schema },
    gate: openGate(shown),
    parts: parts.map(partData),
    decisions: decisions.map((decided): DecisionData => ({
      id: decided.id,
      at: decided.at,
      text: toldOf(decided),
      reason: decided.reason,
      shown: decided.shown,
      prompts: decided.prompts,
    })),
  };
}

function openGate({ gate: waiting, state, choices, steps, parts }: ShownGate): OpenGate | null {
  if (waiting === null) return null;
  const { gate, revision, since, parked, assigned, decidedBy, adjudicates } = waiting;
  const part = gate === 'parked' ? undefined : phaseOf(state)?.edited;
  const edited = parts.find((each) => each.part === part);
  return {
    ...{ gate, since, assigned, decidedBy, adjudicates, choices, steps },
    seen: revision,
    parked: parked && { reason: parked.reason, message: parked.message },
    criteria: criteria[gate],
    categories: gate === 'answer' ? categories : [],
    proposed: parts.find((each) => each.part === 'category')?.text ?? '',
    edited: edited && choices.includes('edit') ? { part: edited.part, text: edited.text } : null,
  };
}

function partData({ part, version, by, at, text, results, before }: ShownPart): PartData {
  return {
    ...{ part, version, at, text },
    by: by.kind === 'model' ? by.model : by.name,
    isByPerson: by.kind === 'person',
    results: results.map((result) => ({
      name: part === 'rows' ? nameOf(result.sql) : '',
      sql: result.sql,
      table: shownTable(result),
      shown: result.shown,
    })),
    difference: before === null ? null : textDifference(before, text),
  };
}

/** The table whose rows a statement shows. */
const nameOf = (sql: string): string => sql.replace(/^SELECT \* FROM /, '');
