import type { Command } from 'commander';
import { z } from 'zod';
import { counted } from '../../../domain/formats/text.js';
import { type FlagsOf, formatOptions, option } from '../../../domain/option.js';
import { pluginOption } from '../../../domain/runs/run-options.js';
import {
  datasetChecks,
  type DatasetCheck,
} from '../../../domain/scoring/execution-match/check-gold.js';
import { exitStatus } from '../../../domain/user-error.js';
import type { CheckedLine } from '../../../domain/building/dataset-check.js';
import { checkDatasetFile } from '../../runs/building/check-dataset.js';
import { scorersOf } from '../../runs/own-code.js';
import { loadEnvironment } from '../../services/environment.js';
import { printSections } from '../../views/print-sections.js';
import { addOptions } from '../shared/arguments.js';
import { pluginsOf } from '../shared/run-options.js';

// The keys of an object literal that is not empty.
const checkNames = Object.keys(datasetChecks) as [DatasetCheck, ...DatasetCheck[]];

const checkOptions = {
  store: option(
    '<name>',
    'holds the papers, or the database, that the questions are about (default: where they name papers, the only store of papers)',
  ),
  skip: option('<check>', 'leave out these checks', z.array(z.enum(checkNames)).default([])),
  ...pluginOption,
  ...formatOptions,
};

export function registerCheck(dataset: Command): void {
  const command = dataset
    .command('check')
    .description(
      'find questions whose score would say nothing, before a model is paid: exit status 1 if there are any',
    )
    .argument('<file>', 'the dataset, JSONL');
  addOptions(command, checkOptions).action(check);
}

async function check(path: string, flags: FlagsOf<typeof checkOptions>): Promise<void> {
  const environment = loadEnvironment();
  const own = scorersOf(await pluginsOf(flags, environment));
  const skip = new Set(flags.skip);
  const items = await checkDatasetFile(environment, { path, store: flags.store, own, skip });
  const checks = checkNames
    .filter((name) => !skip.has(name))
    .map((name) => ({ check: name, finds: datasetChecks[name], faults: countOf(items, name) }));
  const faulty = items.filter(({ faults }) => faults.length > 0).length;
  printSections(flags, {
    title: `Check of ${path}`,
    sections: [
      {
        id: 'check',
        title: 'Faults',
        words: [
          `${path}: ${counted(items.length, 'item')}, ${faulty === 0 ? 'no faults' : `${faulty} with faults`}`,
        ],
        tone: faulty === 0 ? undefined : 'bad',
        notes: [],
        tables: [
          {
            caption: 'Questions with faults',
            heads: ['line', 'question', 'check', 'reason'],
            names: 4,
            isList: true as const,
            rows: items.flatMap(({ line, uuid, faults }) =>
              faults.map(({ check, reason }) => [String(line), uuid, check, reason]),
            ),
          },
          {
            caption: 'Checks',
            heads: ['check', 'what holds', 'faults'],
            names: 2,
            rows: checks.map(({ check, finds, faults }) => [check, finds, faults]),
          },
        ].filter(({ rows }) => rows.length > 0),
      },
    ],
    data: { dataset: path, faulty, checks, items },
  });
  process.exitCode = faulty === 0 ? exitStatus.done : exitStatus.datasetFaulty;
}

const countOf = (items: readonly CheckedLine[], name: DatasetCheck): number =>
  items.flatMap(({ faults }) => faults).filter(({ check }) => check === name).length;
