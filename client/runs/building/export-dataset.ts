import { type Amount, add, noAmount } from '../../../domain/budget/amount.js';
import { seedOfItem, type Build, type Texts } from '../../../domain/building/build.js';
import { buildCondition, type BuildProgress } from '../../../domain/building/build-state.js';
import {
  datasetLine,
  annotatorAgreement,
  categoryOf,
  countStates,
  nearDuplicates,
  type Agreement,
  type NearDuplicate,
} from '../../../domain/building/dataset-summary.js';
import type { Item } from '../../../domain/building/item.js';
import { allRowsSql } from '../../../domain/building/scratch-tables.js';
import {
  datasetFigures,
  type DatasetFigures,
} from '../../../domain/runs/database-qa/agent-figures.js';
import type { RunCondition } from '../../../domain/runs/run-progress.js';
import { amountOfReply } from '../../../domain/runs/spent-amount.js';
import { countsOf } from '../../../domain/statistics/means.js';
import type { DatasetName } from '../../../domain/ids.js';
import { callsOf } from '../../../storage/building-files.js';
import { openStorePlace, type StoreSettings } from '../../../storage/stores/store-place.js';
import { readBuiltDataset, readTexts, type BuiltDataset } from './dataset-files.js';

/** A dataset as far as it is. */
export interface DatasetStatus {
  readonly dataset: DatasetName;
  readonly paused: boolean;
  readonly condition: RunCondition;
  readonly items: number;
  readonly states: Readonly<Record<Item['state'], number>>;
  /** Why items are parked, with their number. */
  readonly parked: Readonly<Record<string, number>>;
  readonly calls: number;
  readonly spent: Amount;
  /** Of two annotators; empty where one decides. */
  readonly agreement: readonly Agreement[];
  /** Questions that say nearly the same, among those that are not rejected. */
  readonly nearDuplicates: readonly NearDuplicate[];
  /** Of the items that are done. */
  readonly figures: DatasetFigures;
}

/** @param live - null where nothing works on it */
export async function datasetStatus(
  settings: StoreSettings,
  dataset: DatasetName,
  live: BuildProgress | null,
): Promise<DatasetStatus> {
  const built = await readBuiltDataset(settings, dataset);
  const { build, items } = built;
  let calls = 0;
  let spent = noAmount;
  for await (const record of callsOf(openStorePlace(settings).storage, dataset)) {
    calls += 1;
    spent = add(spent, amountOfReply(record));
  }
  const parked = countsOf(items.flatMap(({ gate }) => gate?.parked?.reason ?? []));
  const questions = items.flatMap((item) => {
    const question = item.versions.findLast(({ part, apart }) => part === 'question' && !apart);
    return question === undefined || item.state === 'rejected'
      ? []
      : [{ id: item.id, question: question.preview }];
  });
  const done = await textsOfDone(settings, built);
  const states = countStates(items, build.seeds.length);
  return {
    dataset,
    paused: build.paused,
    condition: conditionOf(build, states, live),
    items: build.seeds.length,
    states,
    parked: Object.fromEntries(parked),
    ...{ calls, spent },
    agreement: annotatorAgreement(items),
    nearDuplicates: nearDuplicates(questions),
    figures: figuresOf(built, done),
  };
}

function conditionOf(
  { paused, seeds }: Build,
  { done, rejected, constructing, concluding }: DatasetStatus['states'],
  live: BuildProgress | null,
): RunCondition {
  const closed = done + rejected;
  if (live === null) return closed === seeds.length ? 'done' : paused ? 'paused' : 'stopped';
  const { drafting, working, held } = live;
  const later = constructing + concluding - (held.length - (drafting - working));
  return buildCondition({ ...live, closed, working: working + later });
}

interface DoneItem {
  readonly item: Item;
  readonly texts: Texts;
}

const textsOfDone = async (
  settings: StoreSettings,
  { build, items }: BuiltDataset,
): Promise<readonly DoneItem[]> => {
  const done: DoneItem[] = [];
  for (const item of items.filter(({ state }) => state === 'done')) {
    done.push({ item, texts: await readTexts(settings, build.dataset, item) });
  }
  return done;
};

/** Each item has a database of its own. */
function figuresOf({ build }: BuiltDataset, done: readonly DoneItem[]): DatasetFigures {
  return datasetFigures(
    done.map(({ item, texts }) => ({
      category: categoryOf(item),
      referenceAnswer: texts.answer?.text,
    })),
    done.map(({ item, texts }) => {
      const { tables } = seedOfItem(build, item.id).database;
      const filled = texts.rows?.results ?? [];
      return {
        tables: tables.map(({ name, columns }) => ({
          columns,
          rows: filled.find(({ sql }) => sql === allRowsSql(name))?.rows ?? null,
        })),
      };
    }),
  );
}

/** The lines of all items that are done, in the order of their seeds. */
export async function datasetLines(
  settings: StoreSettings,
  dataset: DatasetName,
): Promise<{ readonly lines: readonly string[]; readonly notDone: number }> {
  const built = await readBuiltDataset(settings, dataset);
  const done = await textsOfDone(settings, built);
  return {
    lines: done.map(({ item, texts }) => JSON.stringify(datasetLine(built.build, item, texts))),
    notDone: built.build.seeds.length - done.length,
  };
}
