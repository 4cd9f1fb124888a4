import { writeFileAtomically } from '../../../storage/atomic-file.js';
import {
  liveBuild,
  pauseBuild,
  sameBuild,
  startBuild,
  untilDrafted,
} from '../../runs/building/build-dataset.js';
import { openBuild } from '../../runs/building/dataset-files.js';
import { datasetLines, datasetStatus } from '../../runs/building/export-dataset.js';
import { counted } from '../../../domain/formats/text.js';
import {
  datasetSections,
  pausedBuildText,
  buildForecastText,
  progressText,
  gatesText,
  gateText,
} from '../../views/building-text.js';
import { printJson, note, printResult } from '../../services/tell.js';
import {
  formatOptions,
  option,
  whole,
  type FlagsOf,
  flag,
  jsonOption,
} from '../../../domain/option.js';
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { type Build, mostSeeds } from '../../../domain/building/build.js';
import { forecastBuild } from '../../../domain/building/build-forecast.js';
import { instructions, ownPrompts, promptsWith } from '../../../domain/building/prompts.js';
import {
  datasetNameSchema,
  itemIdSchema,
  personSchema,
  type DatasetName,
  type ItemId,
} from '../../../domain/ids.js';
import { exitStatus, UserError } from '../../../domain/user-error.js';
import { readPromptFile } from '../../runs/prompt-file.js';
import { planSeeds } from '../../runs/building/read-seeds.js';
import { loadEnvironment } from '../../services/environment.js';
import { printSections } from '../../views/print-sections.js';
import { wordsSection } from '../../views/sections/section.js';
import {
  parseArgument,
  parseArguments,
  personOption,
  type CommandLine,
} from '../shared/command-line.js';
import { isToStart, withSession } from '../shared/execute.js';
import { requirePrice } from '../../runs/steering/budget-price.js';
import {
  cacheOption,
  callOptions,
  callsAtOnce,
  capOf,
  judgeConfigOf,
  callSettings,
} from '../shared/model-options.js';
import { gates, steps, type Choice } from '../../../domain/building/item.js';
import { toldOf } from '../../../domain/building/decision-problem.js';
import { categories } from '../../../domain/scoring/dataset-item.js';
import { assignItem, decideItem, untilWaiting } from '../../runs/building/decide-item.js';
import { listGates, showGate } from '../../runs/building/gates.js';
import { readTextFile } from '../../services/read-file.js';

const buildOptions = {
  dataset: option('<name>', 'what it shall be called', datasetNameSchema),
  model: option('<name>', 'drafts and writes', z.string()),
  items: option('<n>', 'the first so many seeds (default: all)', whole(1, mostSeeds).optional()),
  annotators: option('<n>', 'people who decide apart at each gate, 1 or 2', whole(1, 2).default(1)),
  gateTimeout: option(
    '<time>',
    'after which an item is parked if nobody decides, such as 12h or 30d (default: never)',
    z.string().transform(milliseconds).optional(),
  ),
  source: option('<text>', 'where the seeds come from, where they do not say so'),
  licence: option('<text>', 'their licence, where they do not say so'),
  prompts: option(
    '<file>',
    'what models are told from now on, YAML or JSON with a text for each step to change (`dataset prompts` prints those in use)',
  ),
  ...callOptions(
    'what all calls for the dataset may cost, earlier ones included',
    'tokens that they may use, earlier ones included',
  ),
  ...cacheOption,
};

type Json = FlagsOf<typeof jsonOption>;

const exportOptions = {
  out: option('<file>', 'the dataset (default: DATASET.jsonl in this folder)'),
  ...jsonOption,
};

/** Begins a dataset, and all that is done to one. */
export function registerBuild(command: CommandLine): void {
  command
    .command('build')
    .description('have a model draft questions, rows and answers, each confirmed by people')
    .argument(
      '<seeds>',
      "JSONL of seed questions with their databases, such as a dataset, or Spider's folder; only the schemas are used",
    )
    .takes(buildOptions)
    .action(build);
  const aboutOne = (name: string, description: string): CommandLine =>
    command
      .command(name)
      .description(description)
      .argument('<dataset>', 'its name', parseArgument(datasetNameSchema));
  aboutOne(
    'pause',
    'ask no model for a dataset any more: calls under way end, people go on deciding',
  )
    .takes(jsonOption)
    .action((name: DatasetName, flags: Json) => setPaused(name, true, flags));
  aboutOne('resume', 'let a dataset go on that is paused')
    .takes(jsonOption)
    .action((name: DatasetName, flags: Json) => setPaused(name, false, flags));
  aboutOne(
    'prompts',
    'what models are told for a dataset, by step, as `dataset build --prompts` reads it',
  ).action(async (name: DatasetName) => {
    const { prompts } = await openBuild(loadEnvironment(), name);
    printJson(prompts.instructions);
  });
  registerGates(aboutOne);
  aboutOne(
    'status',
    'how far a dataset is, agreement, near-duplicates, and Table 1 of what is done',
  )
    .takes(formatOptions)
    .action(async (name: DatasetName, flags: FlagsOf<typeof formatOptions>) => {
      const environment = loadEnvironment();
      const data = await datasetStatus(environment, name, await liveBuild(environment, name));
      printSections(flags, { title: `Dataset ${name}`, sections: datasetSections(data), data });
    });
  aboutOne('export', 'write the items that are done as a dataset that `turnwise run` reads')
    .takes(exportOptions)
    .action(exportDataset);
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function milliseconds(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (units[unit] ?? 0);
  if (ms > 0) return ms;
  throw new InvalidArgumentError('It must be a time such as 90m, 12h or 30d.');
}

/** Of one completion, hidden reasoning included. */
const usually = { temperature: 0.7, topP: 0.95, maxTokens: 4000 };

async function build(seeds: string, flags: FlagsOf<typeof buildOptions>): Promise<void> {
  const { dataset, annotators, budgetUsd } = flags;
  const concurrency = callsAtOnce(flags);
  const environment = loadEnvironment();
  const model = judgeConfigOf(flags.model, callSettings(environment, flags), usually);
  requirePrice(model, { budgetUsd });
  const changed =
    flags.prompts === undefined ? null : promptsWith(readPromptFile(flags.prompts, instructions));
  const planned: Build = {
    ...(await planSeeds(environment, seeds, flags)),
    ...{ dataset, model, annotators: annotators === 2 ? 2 : 1 },
    gateTimeoutMs: flags.gateTimeout ?? null,
    prompts: changed ?? ownPrompts,
    paused: false,
    budget: capOf(flags),
  };
  const known = await sameBuild(environment, planned);
  const kept: Build =
    known === null
      ? planned
      : { ...planned, paused: known.paused, prompts: changed ?? known.prompts };
  note(buildForecastText(kept, forecastBuild(kept), known !== null));
  if (!(await isToStart(flags.yes))) return;
  let printed = '';
  const progress = await withSession(environment, async (session) => {
    await startBuild(session, environment, kept, concurrency);
    return untilDrafted(session, planned, (now) => {
      const text = progressText(now);
      if (text !== printed) note(text);
      printed = text;
    });
  });
  const words = [
    progressText(progress),
    `turnwise dataset gates ${dataset} lists the items that wait for a decision`,
  ];
  printSections(flags, {
    title: `Dataset ${dataset}`,
    sections: [wordsSection('progress', 'Progress', words)],
    data: { dataset, ...progress },
  });
  const { held, isPaused } = progress;
  if (isPaused || held.some(({ need }) => need !== null)) process.exitCode = exitStatus.runWaits;
  else if (held.length > 0) process.exitCode = exitStatus.doneWithOutsideFailures;
}

async function setPaused(name: DatasetName, paused: boolean, { json }: Json): Promise<void> {
  const environment = loadEnvironment();
  const progress = await withSession(environment, ({ client }) =>
    pauseBuild(client, environment, name, paused),
  );
  printResult(json, { dataset: name, ...progress }, pausedBuildText(name, paused));
}

async function exportDataset(
  name: DatasetName,
  { out = `${name}.jsonl`, json }: FlagsOf<typeof exportOptions>,
): Promise<void> {
  const { lines, notDone } = await datasetLines(loadEnvironment(), name);
  if (lines.length === 0) {
    throw new UserError(
      `no item of dataset ${name} is done: \`turnwise dataset gates ${name}\` lists those that wait for a decision`,
    );
  }
  await writeFileAtomically(out, lines.map((line) => `${line}\n`).join(''));
  printResult(
    json,
    { out, items: lines.length, notDone },
    `${counted(lines.length, 'item')} written to ${out}${notDone === 0 ? '' : `; ${notDone} are not done, or rejected`}`,
  );
}

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

function registerGates(aboutOne: (name: string, description: string) => CommandLine): void {
  aboutOne('gates', 'list the items that wait for a decision, those that wait longest first')
    .takes(gateOptions)
    .action(list);
  aboutOne('show', 'what is to be decided about an item, and all that bears on it')
    .argument('<item>', 'as `dataset gates` lists it', item)
    .takes(jsonOption)
    .action(show);
  aboutOne('confirm', 'decide about an item')
    .argument('<item>', 'as `dataset gates` lists it', item)
    .takes(confirmOptions)
    .action(confirm);
  aboutOne('assign', 'say who is to decide about items')
    .argument('<items...>', 'as `dataset gates` lists them', parseArguments(itemIdSchema))
    .takes(assignOptions)
    .action(assign);
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

async function show(name: DatasetName, id: ItemId, { json }: Json): Promise<void> {
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
