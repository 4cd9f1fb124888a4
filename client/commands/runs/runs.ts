import type { Command } from 'commander';
import { endedReason, type RunCondition } from '../../../domain/runs/run-progress.js';
import {
  notesAbout,
  tagsOf,
  runFolder,
  type RunManifest,
} from '../../../domain/runs/run-manifest.js';
import { noScores, outsideFailures, scoreMeans } from '../../../domain/runs/run-totals.js';
import { scaleLabels } from '../../../domain/scoring/verdict.js';
import type { ScoreLedger } from '../../../domain/scoring/score-ledger.js';
import { storageOf } from '../../../domain/settings.js';
import { printJson } from '../../services/tell.js';
import { conditionTone } from '../../views/run-text.js';
import { printSections } from '../../views/print-sections.js';
import { meanCell } from '../../views/sections/ledger.js';
import {
  cellText,
  listSection,
  toned,
  type Cell,
  type Row,
  type Section,
} from '../../views/sections/section.js';
import { readyServices } from '../../services/ensure-services.js';
import { StatusReader } from '../../runs/status/status-reader.js';
import { flag, type FlagsOf, formatOptions } from '../../../domain/option.js';
import { sizeText } from '../../../domain/formats/text.js';
import { openStorage } from '../../../storage/open-storage.js';
import { loadEnvironment } from '../../services/environment.js';
import { type RunPlace, listRuns, RunFolder, samplesOf } from '../../runs/run-folder.js';
import { ruledHeadlines } from '../../runs/scoring/run-scores.js';
import { registerNote } from './notes.js';
import { registerRulings } from './rulings.js';
import { registerRemove } from './remove.js';
import { addOptions } from '../shared/arguments.js';

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

export function registerRuns(program: Command): void {
  const command = program.command('runs').description('all runs, oldest first');
  addOptions(command, runsOptions).action(list);
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
