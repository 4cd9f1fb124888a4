import { endedReason, type RunCondition } from '../../domain/runs/run-progress.js';
import {
  notesAbout,
  tagsOf,
  noteTagSchema,
  noteTextSchema,
  type RunManifest,
  runFolder,
} from '../../domain/runs/run-manifest.js';
import { noScores, outsideFailures, scoreMeans } from '../../domain/runs/run-totals.js';
import { scaleLabels } from '../../domain/scoring/verdict.js';
import type { ScoreLedger } from '../../domain/scoring/score-ledger.js';
import { storageOf, type Environment } from '../../domain/settings.js';
import { printJson, printResult, note } from '../services/tell.js';
import { conditionTone, noteLine } from '../views/run-text.js';
import { printSections } from '../views/print-sections.js';
import { meanCell } from '../views/sections/ledger.js';
import {
  cellText,
  listSection,
  toned,
  type Cell,
  type Row,
  type Section,
} from '../views/sections/section.js';
import { readyServices } from '../services/ensure-services.js';
import { StatusReader } from '../runs/status/status-reader.js';
import {
  flag,
  type FlagsOf,
  formatOptions,
  jsonOption,
  option,
  whole,
  type Option,
} from '../../domain/option.js';
import { sizeText } from '../../domain/formats/text.js';
import { openStorage } from '../../storage/open-storage.js';
import { loadEnvironment } from '../services/environment.js';
import { type RunPlace, listRuns, RunFolder, samplesOf } from '../runs/run-folder.js';
import { ruledHeadlines, readRun, rulingState } from '../runs/scoring/run-scores.js';
import { personOption, type CommandLine } from './shared/command-line.js';
import type { RunId } from '../../domain/ids.js';
import { UserError, exitStatus } from '../../domain/user-error.js';
import { addNote, removeNote } from '../runs/note-run.js';
import {
  noteRemovedText,
  notedText,
  ruledText,
  rulingStateText,
  signedText,
  foundText,
  removedText,
  toRemoveText,
} from '../views/print-summary.js';
import { decisions, type Decision } from '../../domain/scoring/ruling.js';
import { ruleOn, signRun } from '../runs/rule-run.js';
import { retry } from './steer.js';
import { RunRemover, type RemovedRun } from '../runs/removal/remove-runs.js';
import type { HomeClient } from '../services/home-client.js';
import { connectTemporal } from '../services/session.js';
import { isToRemove, withSession } from './shared/execute.js';
import { z } from 'zod';

type ListedRun = RunManifest & {
  readonly condition: RunCondition;
  /** Of the notes on the run itself. */
  readonly tags: readonly string[];
  /** Its scores as people have ruled. Null where nobody has: its totals tell them. */
  readonly ruled: ScoreLedger['headlines'] | null;
  /** Of its files. Absent where nobody asked. */
  readonly bytes?: number;
};

const runsOptions = {
  sizes: flag('with the size of their files, each of which is looked at'),
  ...formatOptions,
};

export function registerRuns(program: CommandLine): void {
  const command = program.command('runs').description('all runs, oldest first');
  command.takes(runsOptions).action(list);
  registerNote(command);
  registerRulings(command);
  registerRemove(command);
}

async function list(flags: FlagsOf<typeof runsOptions>): Promise<void> {
  const environment = loadEnvironment();
  const storage = openStorage(storageOf(environment));
  const runs = await listRuns(environment.TURNWISE_HOME, storage.location);
  const reader = new StatusReader(environment, async () => {
    const services = await readyServices(environment);
    return services?.temporalAddress ?? null;
  });
  try {
    const conditions = await reader.conditions(runs);
    const data = await Promise.all(
      runs.map(async (run) => {
        const folder = RunFolder.of(environment, run.run);
        return {
          ...run,
          condition: conditions.get(run.run) ?? 'stopped',
          tags: tagsOf(notesAbout(await folder.notes(), null)),
          ruled: await ruledHeadlines(folder),
          ...(flags.sizes && { bytes: (await storage.contents(runFolder(run.run))).bytes }),
        };
      }),
    );
    if (flags.json || flags.format === 'json') {
      // Without the counts of results, which are read for each run.
      printJson(data);
      return;
    }
    const sections = [await runsSection(environment, data)];
    printSections(flags, { title: 'Runs', sections, data });
  } finally {
    await reader.close();
  }
}

async function runsSection(place: RunPlace, runs: readonly ListedRun[]): Promise<Section> {
  const rowOf = async (manifest: ListedRun): Promise<Row> => {
    const { run, startedAt, config, totals, tags, ruled, bytes } = manifest;
    const means = ruled
      ? ruled.map((each) => `${cellText(meanCell(each))}${scaleLabels[each.scale]}`)
      : scoreMeans(totals?.scores ?? noScores).map(
          ({ scale, mean }) => `${mean.toFixed(3)}${scaleLabels[scale]}`,
        );
    return [
      run,
      stateCell(manifest),
      `${await RunFolder.of(place, run).countResults()} of ${samplesOf(manifest)}`,
      means.join(', ') || '–',
      config.model.name,
      config.method,
      startedAt.slice(0, 16).replace('T', ' '),
      ...(bytes === undefined ? [] : [sizeText(bytes)]),
      ...(hasTags ? [tags.join(', ')] : []),
    ];
  };
  const hasTags = runs.some(({ tags }) => tags.length > 0);
  return listSection('runs', 'Runs', 'no runs yet: `turnwise run DATASET --store S` makes one', {
    heads: [
      'run',
      'state',
      'ended',
      'mean score',
      'model',
      'method',
      'started (UTC)',
      ...(runs.some(({ bytes }) => bytes !== undefined) ? ['size'] : []),
      ...(hasTags ? ['tags'] : []),
    ],
    rows: await Promise.all(runs.map(rowOf)),
  });
}

/** A run that is done may have failed. */
function stateCell({ status, totals, condition }: ListedRun): Cell {
  const failed = totals === null ? 0 : outsideFailures(totals);
  const state = `${condition}${endedReason(status)}`;
  return failed === 0
    ? toned(state, conditionTone(condition))
    : toned(`${state}, ${failed} failed`, 'bad');
}

const noteOptions = {
  text: option('<text>', 'what is noted', noteTextSchema.optional()),
  tag: option('<tag>', 'by which it is found', z.array(noteTagSchema).optional()),
  by: personOption('who notes it'),
  remove: option('<id>', 'take a note away, as the list names it', z.string().optional(), [
    'text',
    'tag',
  ]),
  epoch: option('<n>', 'which time the question was asked (default: 1)', whole(1, 1000).optional()),
  ...jsonOption,
};

function registerNote(runs: CommandLine): void {
  runs
    .commandOnRun(
      'note',
      'note something on a run or a question of it; without a text or tag, list its notes',
    )
    .argument('[question]', 'uuid of the question, or how it begins')
    .takes(noteOptions)
    .action(noteOn);
}

async function noteOn(
  run: RunId,
  begins: string | undefined,
  { text, tag, by, remove, epoch, json }: FlagsOf<typeof noteOptions>,
): Promise<void> {
  const folder = RunFolder.of(loadEnvironment(), run);
  await folder.manifest();
  if (begins === undefined && epoch !== undefined) {
    throw new UserError('--epoch is of a question: name it');
  }
  const about =
    begins === undefined ? null : { uuid: await folder.question(begins), epoch: epoch ?? 1 };
  if (remove !== undefined) {
    const removed = await removeNote(folder, remove, by);
    printResult(json, removed, `run ${run} ${noteRemovedText(removed)}`);
  } else if (text !== undefined || tag !== undefined) {
    const added = await addNote(folder, { by, about, text, tags: tag });
    printResult(json, added, `run ${run} ${notedText(added)}`);
  } else {
    const all = await folder.notes();
    const shown = about ? notesAbout(all, about) : all;
    const none = `no notes on ${about ? `question ${about.uuid} of ` : ''}run ${run} yet: --text and --tag write one`;
    printResult(json, shown, shown.map(noteLine).join('\n') || none);
  }
}

const decide = (decision: Decision, help: string): Option<z.ZodOptional<z.ZodBoolean>> => ({
  ...flag(help),
  conflicts: decisions.filter((each) => each !== decision),
});

const ruleOptions = {
  exclude: decide('exclude', 'they enter no mean'),
  wrong: decide('wrong', 'they count with the lowest score'),
  accept: decide('accept', 'they count as they do, and are open no more'),
  again: decide('again', 'they are asked again, as by `turnwise retry`'),
  withdraw: decide('withdraw', 'take back what was ruled on them'),
  reason: option('<text>', 'why'),
  by: personOption('who rules'),
  epoch: option('<n>', 'which time they were asked (default: 1)', whole(1, 1000).optional()),
  ...jsonOption,
};
const signOptions = { by: personOption('who signs'), ...jsonOption };

function registerRulings(runs: CommandLine): void {
  const ruling = runs
    .commandOnRun(
      'rule',
      'rule on results, such as those that ended for outside reasons; without a decision, list what is open for a ruling and what was ruled',
    )
    .argument('[questions...]', 'their uuids, or how these begin');
  ruling.takes(ruleOptions).action(rule);
  runs
    .commandOnRun('sign', 'sign a run off, of which nothing is open for a ruling')
    .takes(signOptions)
    .action(async (run: RunId, { by, json }: FlagsOf<typeof signOptions>) => {
      const signOff = await signRun(RunFolder.of(loadEnvironment(), run), by);
      printResult(json, signOff, `run ${run} is ${signedText(signOff)}`);
    });
}

async function rule(
  run: RunId,
  begins: readonly string[],
  flags: FlagsOf<typeof ruleOptions>,
): Promise<void> {
  const { reason, by, epoch = 1, json } = flags;
  const folder = RunFolder.of(loadEnvironment(), run);
  await folder.manifest();
  const decision = decisions.find((each) => flags[each]);
  if (decision === undefined) {
    if (begins.length > 0 || reason !== undefined) {
      throw new UserError(
        'say what is decided: --exclude, --wrong, --accept, --again or --withdraw',
      );
    }
    const state = rulingState(await readRun(folder));
    printResult(json, state, rulingStateText(run, state));
    return;
  }
  const questions = await Promise.all(begins.map((each) => folder.question(each)));
  if (questions.length === 0) throw new UserError('name the questions whose results are ruled on');
  const about = questions.map((uuid) => ({ uuid, epoch }));
  const rulings = await ruleOn(folder, { by, about, decision, reason });
  const said = `run ${run} ${ruledText(rulings)}`;
  if (decision === 'again') {
    note(said);
    await retry(run, { question: [...questions], epoch, ...(json && { json }) });
  } else {
    printResult(json, rulings, said);
  }
}

const removeOptions = {
  yes: flag('without asking; needed where there is no terminal'),
  dryRun: flag('say what would be removed, and remove nothing'),
  filesOnly: flag('leave the histories to Temporal, which forgets them after a while'),
  cache: flag('remove the replies they used from the cache of this home as well'),
  ...jsonOption,
};

function registerRemove(runs: CommandLine): void {
  runs
    .command('rm')
    .description('remove runs: their files, what was judged and reviewed of them, their histories')
    .argument('<run...>', 'their ids; in a pattern * stands for any characters and ? for one')
    .takes(removeOptions)
    .action(remove);
}

async function remove(
  names: readonly string[],
  flags: FlagsOf<typeof removeOptions>,
): Promise<void> {
  const environment = loadEnvironment();
  const remover = new RunRemover(environment);
  const found = await remover.find(names);
  const { yes, dryRun, filesOnly, cache, json } = flags;
  const runs = found.map(({ run }) => run);
  if (dryRun) {
    const counted = await whileReachable(environment, (client) =>
      remover.withHistories(client, found),
    );
    const shown = counted ?? found;
    printResult(json, shown, foundText(shown));
    return;
  }
  // Where nothing answers, nothing works on a run either.
  await whileReachable(environment, (client) => remover.requireEnded(client, runs));
  if (!(await isToRemove(toRemoveText(found), yes))) return;
  const removeAll = async (client: HomeClient | null): Promise<readonly RemovedRun[]> => {
    if (client) await remover.requireEnded(client, runs);
    const removed: RemovedRun[] = [];
    for (const each of found) {
      const onDeleted = (histories: number): void =>
        note(`run ${each.run}: ${histories} histories deleted`);
      removed.push(await remover.remove(each, client, { withReplies: cache === true, onDeleted }));
    }
    return removed;
  };
  const removed = filesOnly
    ? await removeAll(null)
    : await withSession(environment, ({ client }) => removeAll(client)).catch(withWayOut);
  printResult(json, removed, removedText(removed));
}

/** What `work` leads to with services that run; null where none can be reached. Starts none: that would continue every run. */
async function whileReachable<T>(
  environment: Environment,
  work: (client: HomeClient) => Promise<T>,
): Promise<T | null> {
  const services = await readyServices(environment);
  const client =
    services && (await connectTemporal(services.temporalAddress, environment).catch(() => null));
  if (!client) return null;
  try {
    return await work(client);
  } finally {
    await client.connection.close();
  }
}

function withWayOut(error: unknown): never {
  if (!(error instanceof UserError) || error.status !== exitStatus.serviceUnreachable) throw error;
  throw new UserError(
    `${error.message}; --files-only removes runs without Temporal`,
    exitStatus.serviceUnreachable,
  );
}
