import { userInfo } from 'node:os';
import { Option, type Command } from 'commander';
import {
  gates,
  personSchema,
  steps,
  type Choice,
  type GateName,
  type Step,
} from '../../../domain/building/item.js';
import { toldOf } from '../../../domain/building/decision-problem.js';
import {
  datasetNameSchema,
  itemIdSchema,
  type DatasetName,
  type ItemId,
} from '../../../domain/ids.js';
import { categories, type Category } from '../../../domain/scoring/dataset-item.js';
import { UserError } from '../../../domain/user-error.js';
import { assignItem, decideItem, untilWaiting } from '../../runs/building/decide-item.js';
import { listGates, showGate } from '../../runs/building/gates.js';
import { loadEnvironment } from '../../services/environment.js';
import { readTextFile } from '../../services/read-file.js';
import { gatesText, gateText } from '../../views/building-text.js';
import { parseArgument, parseArguments, wholeNumber } from '../shared/arguments.js';
import { withSession } from '../shared/execute.js';

const dataset = parseArgument(datasetNameSchema);
const item = parseArgument(itemIdSchema);

/** Who decides, where nobody is named. */
const thisPerson = (): string => process.env['USER'] ?? userInfo().username;

export function registerGates(command: Command): void {
  command
    .command('gates')
    .description('list the items that wait for a decision, those that wait longest first')
    .argument('<dataset>', 'its name', dataset)
    .addOption(new Option('--gate <name>', 'only those at one gate').choices(gates))
    .option('--for <name>', 'only what this person may decide about and has not')
    .option('--json', 'one JSON document')
    .action(list);
  command
    .command('show')
    .description('what is to be decided about an item, and all that bears on it')
    .argument('<dataset>', 'its name', dataset)
    .argument('<item>', 'as `dataset gates` lists it', item)
    .option('--json', 'one JSON document')
    .action(show);
  command
    .command('confirm')
    .description('decide about an item')
    .argument('<dataset>', 'its name', dataset)
    .argument('<item>', 'as `dataset gates` lists it', item)
    .requiredOption(
      '--seen <n>',
      'what `dataset show` has shown: a decision about anything else is refused',
      wholeNumber(1, 1e9),
    )
    .option('--accept', 'let it go on as it is')
    .addOption(new Option('--category <name>', 'of an accepted answer').choices(categories))
    .option('--edit <file>', 'put the text of a file in its place; rows are SQL, and are tried out')
    .option('--reject', 'do without the item')
    .addOption(new Option('--redo <step>', 'have a model make another one').choices(steps))
    .option('--reopen', 'put an item that nobody has decided about in time before its gate again')
    .option('--reason <text>', 'why; with --redo, what the model shall do')
    .option('--by <name>', 'who decides', parseArgument(personSchema), thisPerson())
    .option('--wait', 'until the item waits for a person again, or is done with')
    .option('--json', 'one JSON document')
    .action(confirm);
  command
    .command('assign')
    .description('say who is to decide about items')
    .argument('<dataset>', 'its name', dataset)
    .argument('<items...>', 'as `dataset gates` lists them', parseArguments(itemIdSchema))
    .option('--to <names>', 'with commas between them (default: everybody)', names)
    .option('--by <name>', 'who says so', parseArgument(personSchema), thisPerson())
    .option('--json', 'one JSON document')
    .action(assign);
}

const names = (text: string): readonly string[] =>
  text.split(',').map((name) => parseArgument(personSchema)(name));

interface Json {
  readonly json?: true;
}

async function list(
  name: DatasetName,
  { gate, for: by, json }: { readonly gate?: GateName; readonly for?: string } & Json,
): Promise<void> {
  const waiting = await listGates(loadEnvironment(), name, { gate, by });
  console.log(json ? JSON.stringify(waiting, null, 1) : gatesText(waiting));
}

async function show(name: DatasetName, id: ItemId, { json }: Json): Promise<void> {
  const shown = await showGate(loadEnvironment(), name, id);
  console.log(json ? JSON.stringify(shown, null, 1) : gateText(shown));
}

interface ConfirmFlags extends Json {
  readonly seen: number;
  readonly accept?: true;
  readonly category?: Category;
  readonly edit?: string;
  readonly reject?: true;
  readonly redo?: Step;
  readonly reopen?: true;
  readonly reason?: string;
  readonly by: string;
  readonly wait?: true;
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
  console.log(
    json
      ? JSON.stringify({ decided, state: now.state, repeated: isRepeated }, null, 1)
      : `item ${id}: ${toldOf(decided)}${again}; it is ${now.state}`,
  );
}

async function assign(
  name: DatasetName,
  items: readonly ItemId[],
  { to = [], by, json }: { readonly to?: readonly string[]; readonly by: string } & Json,
): Promise<void> {
  const environment = loadEnvironment();
  await withSession(environment, async ({ client }) => {
    for (const id of items)
      await assignItem(environment, client, { dataset: name, item: id, to, by });
  });
  const whom = to.length === 0 ? 'everybody' : to.join(' and ');
  console.log(
    json ? JSON.stringify({ items, to }, null, 1) : `${items.length} assigned to ${whom}`,
  );
}
