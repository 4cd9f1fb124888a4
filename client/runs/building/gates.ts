import { type ItemText, seedOfItem } from '../../../domain/building/build.js';
import { choicesAt, votesOf, type Annotators } from '../../../domain/building/decision-problem.js';
import {
  assignees,
  latest,
  shownAt,
  stepsToRedo,
  type ChoiceKind,
  type Decided,
  type Gate,
  type GateName,
  type Item,
  type Step,
} from '../../../domain/building/item.js';
import { isLeftFor, type Awaited } from '../../../domain/building/waiting.js';
import type { DatasetName, ItemId } from '../../../domain/ids.js';
import { renderDatabaseDdl } from '../../../domain/stores/database-schema.js';
import type { StoreSettings } from '../../../storage/stores/store-place.js';
import {
  openBuild,
  readBuiltDataset,
  readBuiltItem,
  readVersion,
  type BuiltDataset,
} from './dataset-files.js';

/** An item that waits for a decision, as lists have it. */
export interface WaitingGate extends Awaited {
  readonly item: ItemId;
  readonly gate: GateName;
  /** What a decision names as seen. */
  readonly revision: number;
  readonly since: string;
  /** Why it is parked; null where it is not. */
  readonly parked: Gate['parked'];
  /** The beginning of its question. */
  readonly question: string;
}

interface GateFilter {
  readonly gate?: GateName | undefined;
  /** Only what this person may decide about, and has not. */
  readonly by?: string | undefined;
}

/** The items that wait for a person, those that wait longest first. */
export async function listGates(
  settings: StoreSettings,
  dataset: DatasetName,
  filter: GateFilter = {},
): Promise<readonly WaitingGate[]> {
  return waitingGates(await readBuiltDataset(settings, dataset), filter);
}

export function waitingGates(
  { build, items }: BuiltDataset,
  { gate: wanted, by }: GateFilter = {},
): readonly WaitingGate[] {
  const seeds = new Map(build.seeds.map(({ item, question }) => [item, question]));
  return items
    .flatMap((item) => waitingGate(item, seeds.get(item.id) ?? '') ?? [])
    .filter(({ gate }) => wanted === undefined || gate === wanted)
    .filter((gate) => by === undefined || isLeftFor(gate, by))
    .sort((a, b) => order(a.since, b.since) || order(a.item, b.item));
}

/** Of texts in ASCII. */
const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function waitingGate(item: Item, seedQuestion: string): WaitingGate | null {
  const { gate } = item;
  if (gate === null) return null;
  return {
    item: item.id,
    ...{ gate: gate.gate, revision: gate.revision, since: gate.openedAt },
    ...{ adjudicates: gate.adjudicates, parked: gate.parked },
    assigned: assignees(item),
    decidedBy: votesOf(item).map(({ by }) => by),
    question: latest(item, 'question')?.preview ?? seedQuestion,
  };
}

/** All that a person has to see to decide about an item. */
export interface ShownGate {
  readonly dataset: DatasetName;
  readonly item: ItemId;
  readonly state: Item['state'];
  readonly annotators: Annotators;
  /** Null where the item waits for nobody. */
  readonly gate: WaitingGate | null;
  readonly choices: readonly ChoiceKind[];
  readonly steps: readonly Step[];
  readonly seedQuestion: string;
  readonly schema: string;
  /** In the order of the parts, with the version that an edit replaced. */
  readonly parts: readonly ShownPart[];
  /** Without those of annotators that others must not see yet. */
  readonly decisions: readonly Decided[];
}

export interface ShownPart extends ItemText {
  readonly by: Item['versions'][number]['by'];
  readonly at: string;
  /** The text before a person's edit; null where none has edited it. */
  readonly before: string | null;
}

/** What is shown at the gate of an item; of one that waits for nobody, all its parts. */
export async function showGate(
  settings: StoreSettings,
  dataset: DatasetName,
  id: ItemId,
): Promise<ShownGate> {
  const build = await openBuild(settings, dataset);
  const item = await readBuiltItem(settings, build, id);
  const { seed, database } = seedOfItem(build, id);
  const { gate } = item;
  const counting = item.versions.filter((version) => latest(item, version.part) === version);
  // Whoever decides where two annotators differed sees what they have written.
  const apart = gate?.adjudicates === true ? item.versions.filter((version) => version.apart) : [];
  const shown = gate === null ? counting : [...shownAt(item), ...apart];
  const parts = await Promise.all(
    shown.map(async (version): Promise<ShownPart> => {
      const text = await readVersion(settings, dataset, id, version);
      const earlier = item.versions.findLast(
        (each) => each.part === version.part && each.version < version.version && !each.apart,
      );
      const before =
        version.by.kind === 'person' && earlier !== undefined
          ? (await readVersion(settings, dataset, id, earlier)).text
          : null;
      return { ...text, by: version.by, at: version.at, before };
    }),
  );
  const hidden = new Set(votesOf(item).map((vote) => vote.id));
  return {
    ...{ dataset, item: id, state: item.state, annotators: build.annotators },
    gate: waitingGate(item, seed.question),
    choices: gate === null ? [] : choicesAt(gate),
    steps: stepsToRedo(item),
    seedQuestion: seed.question,
    schema: renderDatabaseDdl(database),
    parts,
    decisions: item.decisions.filter((decided) => !hidden.has(decided.id)),
  };
}
