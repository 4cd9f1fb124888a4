import type { Command } from 'commander';
import { z } from 'zod';
import { gates, steps, type Choice } from '../../../domain/building/item.js';
import { toldOf } from '../../../domain/building/decision-problem.js';
import {
  datasetNameSchema,
  itemIdSchema,
  personSchema,
  type DatasetName,
  type ItemId,
} from '../../../domain/ids.js';
import { flag, jsonOption, option, whole, type FlagsOf } from '../../../domain/option.js';
import { categories } from '../../../domain/scoring/dataset-item.js';
import { UserError } from '../../../domain/user-error.js';
import { assignItem, decideItem, untilWaiting } from '../../runs/building/decide-item.js';
import { listGates, showGate } from '../../runs/building/gates.js';
import { loadEnvironment } from '../../services/environment.js';
import { readTextFile } from '../../services/read-file.js';
import { printResult } from '../../services/tell.js';
import { gatesText, gateText } from '../../views/building-text.js';
import { addOptions, parseArgument, parseArguments, personOption } from '../shared/arguments.js';
import { withSession } from '../shared/execute.js';

const dataset = parseArgument(datasetNameSchema);
const item = parseArgument(itemIdSchema);

const gateOptions = {
  gate: option('<name>', 'only those at one gate', z.enum(gates).optional()),
  for: option('<name>', 'only what this person may decide about and has not'),
  ...jsonOption,
};

const confirmOptions = {
  seen: option(
    '<n>',
    'what `dataset show` has shown: a decision about anything else is refused',
    whole(1, 1e9),
  ),
  accept: flag('let it go on as it is'),
  category: option('<name>', 'of an accepted answer', z.enum(categories).optional()),
  edit: option('<file>', 'put the text of a file in its place; rows are SQL, and are tried out'),
  reject: flag('do without the item'),
  redo: option('<step>', 'have a model make another one', z.enum(steps).optional()),
  reopen: flag('put an item that nobody has decided about in time before its gate again'),
  reason: option('<text>', 'why; with --redo, what the model shall do'),
  by: personOption('who decides'),
  wait: flag('until the item waits for a person again, or is done with'),
  ...jsonOption,
};
type ConfirmFlags = FlagsOf<typeof confirmOptions>;

const assignOptions = {
  to: option(
    '<names>',
    'with commas between them (default: everybody)',
    z.string().transform(names).optional(),
  ),
  by: personOption('who says so'),
  ...jsonOption,
};

export function registerGates(command: Command): void {
  const aboutOne = (name: string, description: string): Command =>
    command.command(name).description(description).argument('<dataset>', 'its name', dataset);
  addOptions(
    aboutOne('gates', 'list the items that wait for a decision, those that wait longest first'),
    gateOptions,
  ).action(list);
  aboutOne('show', 'what is to be decided about an item, and all that bears on it')
    .argument('<item>', 'as `dataset gates` lists it', item)
    .option('--json', 'one JSON document')
    .action(show);
  addOptions(
    aboutOne('confirm', 'decide about an item').argument(
      '<item>',
      'as `dataset gates` lists it',
      item,
    ),
    confirmOptions,
  ).action(confirm);
  addOptions(
    aboutOne('assign', 'say who is to decide about items').argument(
      '<items...>',
      'as `dataset gates` lists them',
      parseArguments(itemIdSchema),
    ),
    assignOptions,
  ).action(assign);
}

function names(text: string): readonly string[] {
  return text.split(',').map((name) => parseArgument(personSchema)(name));
}

async function list(
  name: DatasetName,
  { gate, for: by, json }: FlagsOf<typeof gateOptions>,
): Promise<void> {
  const waiting = await listGates(loadEnvironment(), name, { gate, by });
  printResult(json, waiting, gatesText(waiting));
}

async function show(
  name: DatasetName,
  id: ItemId,
  { json }: FlagsOf<typeof jsonOption>,
): Promise<void> {
  const shown = await showGate(loadEnvironment(), name, id);
  printResult(json, shown, gateText(shown));
}

function choiceOf({ accept, category, edit, reject, redo, reopen }: ConfirmFlags): Choice {
  const choices: readonly Choice[] = [
    ...(accept ? [{ kind: 'accept', ...(category && { category }) } as const] : []),
    ...(edit === undefined ? [] : [{ kind: 'edit', text: readTextFile(edit) } as const]),
    ...(reject ? [{ kind: 'reject' } as const] : []),
    ...(redo === undefined ? [] : [{ kind: 'redo', step: redo } as const]),
    ...(reopen ? [{ kind: 'reopen' } as const] : []),
  ];
  const [choice, ...others] = choices;
  if (choice === undefined || others.length > 0) {
    throw new UserError('a decision is one of --accept, --edit, --reject, --redo and --reopen');
  }
  return choice;
}

async function confirm(name: DatasetName, id: ItemId, flags: ConfirmFlags): Promise<void> {
  const { by, seen, reason, wait, json } = flags;
  const choice = choiceOf(flags);
  const environment = loadEnvironment();
  const toMake = { dataset: name, item: id, by, seen, choice, reason };
  const made = await withSession(environment, async ({ client }) => {
    const taken = await decideItem(environment, client, toMake);
    return wait ? { ...taken, item: await untilWaiting(environment, toMake) } : taken;
  });
  const { decided, item: now, isRepeated } = made;
  const again = isRepeated ? ' (it had been taken before)' : '';
  printResult(
    json,
    { decided, state: now.state, repeated: isRepeated },
    `item ${id}: ${toldOf(decided)}${again}; it is ${now.state}`,
  );
}

async function assign(
  name: DatasetName,
  items: readonly ItemId[],
  { to = [], by, json }: FlagsOf<typeof assignOptions>,
): Promise<void> {
  const environment = loadEnvironment();
  await withSession(environment, async ({ client }) => {
    for (const id of items)
      await assignItem(environment, client, { dataset: name, item: id, to, by });
  });
  const whom = to.length === 0 ? 'everybody' : to.join(' and ');
  printResult(json, { items, to }, `${items.length} assigned to ${whom}`);
}
