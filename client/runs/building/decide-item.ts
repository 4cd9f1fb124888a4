import { toldOf } from '../../../domain/building/decision-problem.js';
import {
  decisionSchema,
  isClosed,
  type Assigning,
  type Choice,
  type Decided,
  type Decision,
  type Item,
} from '../../../domain/building/item.js';
import { decisionIdOf } from '../../../domain/building/seeds.js';
import { itemWorkflowId, type DatasetName, type ItemId } from '../../../domain/ids.js';
import { UserError } from '../../../domain/user-error.js';
import type { StoreSettings } from '../../../storage/stores/store-place.js';
import { assignUpdate, decideUpdate, type DecisionTaken } from '../../../workflows/messages.js';
import type { HomeClient } from '../../services/home-client.js';
import { askInWords } from '../live-run.js';
import { openBuild, readBuiltItem } from './dataset-files.js';

/** Longer than an edit takes to be tried out. */
const answerMs = 60_000;

interface DecisionToMake {
  readonly dataset: DatasetName;
  readonly item: ItemId;
  readonly by: string;
  /** `WaitingGate.revision` of what the person has seen. */
  readonly seen: number;
  readonly choice: Choice;
  /** @defaultValue none */
  readonly reason?: string | undefined;
}

/** The same decision of the same person about the same thing has the same id, and counts once. */
export const decisionFor = ({
  dataset,
  item,
  by,
  seen,
  choice,
  reason = '',
}: DecisionToMake): Decision =>
  decisionSchema.parse({
    id: decisionIdOf(dataset, item, by, seen, choice, reason),
    ...{ by, seen, choice, reason },
  });

interface DecisionMade {
  readonly decided: Decided;
  readonly item: Item;
  /** It had been taken before: an earlier call has not learnt of it. */
  readonly isRepeated: boolean;
}

/**
 * Sends a decision to the item, and resolves when its file has it. Sent again, also after this process was killed, it counts
 * once. Throws UserError with the reason where it is refused.
 */
export async function decideItem(
  settings: StoreSettings,
  client: HomeClient,
  toMake: DecisionToMake,
): Promise<DecisionMade> {
  const { dataset, item: id } = toMake;
  const decision = decisionFor(toMake);
  const build = await openBuild(settings, dataset);
  const before = await readBuiltItem(settings, build, id);
  const known = takenIn(before, decision);
  if (known !== null) return known;
  if (isClosed(before)) throw closed(before);
  const handle = client.workflow.getHandle(itemWorkflowId(client.home, dataset, id));
  try {
    const decide = (): Promise<DecisionTaken> =>
      handle.executeUpdate(decideUpdate, { args: [decision], updateId: decision.id });
    const taken = await askInWords(client, handle.workflowId, decide, words(dataset, id));
    return { ...taken, isRepeated: false };
  } catch (error) {
    // The item may have closed with this decision, or with another one.
    const after = await readBuiltItem(settings, build, id);
    const taken = takenIn(after, decision);
    if (taken !== null) return taken;
    throw isClosed(after) ? closed(after) : error;
  }
}

const pollMs = 200;

/** The item once it waits for a person again, or for nobody any more. */
export async function untilWaiting(
  settings: StoreSettings,
  { dataset, item }: Pick<DecisionToMake, 'dataset' | 'item'>,
): Promise<Item> {
  const build = await openBuild(settings, dataset);
  for (;;) {
    const now = await readBuiltItem(settings, build, item);
    if (now.gate !== null || isClosed(now)) return now;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

function takenIn(item: Item, { id }: Decision): DecisionMade | null {
  const decided = item.decisions.find((each) => each.id === id);
  return decided === undefined ? null : { decided, item, isRepeated: true };
}

function closed(item: Item): UserError {
  const last = item.decisions.at(-1);
  return new UserError(`item ${item.id} is ${item.state}${last ? `: ${toldOf(last)}` : ''}`);
}

/** Says who is to decide about an item. Sent again, it counts once. */
export async function assignItem(
  settings: StoreSettings,
  client: HomeClient,
  {
    dataset,
    item: id,
    to,
    by,
  }: {
    readonly dataset: DatasetName;
    readonly item: ItemId;
    readonly to: readonly string[];
    readonly by: string;
  },
): Promise<Item> {
  const build = await openBuild(settings, dataset);
  const before = await readBuiltItem(settings, build, id);
  const assigning: Assigning = {
    id: decisionIdOf(dataset, id, by, to, before.assignments.length),
    to: [...to],
    by,
  };
  const handle = client.workflow.getHandle(itemWorkflowId(client.home, dataset, id));
  const assign = (): Promise<Item> =>
    handle.executeUpdate(assignUpdate, { args: [assigning], updateId: assigning.id });
  return askInWords(client, handle.workflowId, assign, words(dataset, id));
}

const words = (dataset: DatasetName, item: ItemId): Parameters<typeof askInWords>[3] => ({
  withinMs: answerMs,
  absent: () =>
    new UserError(
      `nobody builds item ${item} now: \`turnwise dataset build\` with the arguments of dataset ${dataset} goes on with it`,
    ),
  late: 'no worker runs that could answer: `turnwise up` or `turnwise worker` starts one; the same command sends the decision again, and it counts once',
});
