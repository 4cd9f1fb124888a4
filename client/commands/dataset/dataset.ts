import { Argument, InvalidArgumentError, Option } from 'commander';
import { z } from 'zod';
import { counted, joined, shortDuration } from '../../../domain/formats/text.js';
import { flag, type FlagsOf, formatOptions, jsonOption, option } from '../../../domain/option.js';
import {
  goldFunctions,
  importFields,
  type FieldNames,
} from '../../../domain/runs/imports/imported-question.js';
import { exitStatus } from '../../../domain/user-error.js';
import {
  importDataset,
  importFormats,
  type ImportFormat,
} from '../../runs/building/import-dataset.js';
import type { GoldRuns } from '../../runs/building/run-golds.js';
import { loadEnvironment } from '../../services/environment.js';
import { note, printResult, warn } from '../../services/tell.js';
import { figuresOf, listOf, section, unlessEmpty } from '../../views/sections/section.js';
import { printSections } from '../../views/print-sections.js';
import type { CommandLine } from '../shared/command-line.js';
import { registerBuild } from './build.js';
import { pluginOption } from '../../../domain/runs/run-options.js';
import {
  datasetChecks,
  type DatasetCheck,
} from '../../../domain/scoring/execution-match/check-gold.js';
import type { CheckedLine } from '../../../domain/building/dataset-check.js';
import { checkDatasetFile } from '../../runs/building/check-dataset.js';
import { scorersOf } from '../../runs/own-code.js';
import { pluginsOf } from '../shared/run-options.js';

const importOptions = {
  separator: option(
    '<character>',
    'between the cells of CSV',
    z
      .string()
      .transform((text) => (text === '\\t' ? '\t' : text))
      .refine((text) => /^[^"\r\n]$/.test(text), 'must be one character, e.g. ";" or "\\t"')
      .default(','),
  ),
  evaluator: option(
    '<function>',
    'how golds of openai-evals and csv are compared',
    z.enum(goldFunctions).default('eval_string_exact_match'),
  ),
  lowercase: flag('upper and lower case are the same, where the evaluator can have it so'),
  keepUnscored: flag(
    'keep questions of promptfoo whose assertions no evaluator is equal to, without a score',
  ),
  ...jsonOption,
};

interface ImportFlags extends FlagsOf<typeof importOptions> {
  readonly out?: string;
  readonly field: FieldNames;
}

export function registerDataset(program: CommandLine): void {
  const dataset = program
    .command('dataset')
    .description(
      'datasets made of other files, checked, or built with people who confirm each item',
    );
  dataset
    .command('import')
    .description('make a dataset of questions from another program, or of a benchmark')
    .addArgument(new Argument('<format>', 'whose file or folder it is').choices(importFormats))
    .argument(
      '<path>',
      'JSONL of OpenAI Evals, YAML or JSON of promptfoo, CSV with a header, or the folder of a benchmark as it is published',
    )
    .option('--out <file>', 'the dataset (default: FORMAT.jsonl in this folder)')
    .addOption(
      new Option(
        '--field <field=name>',
        `column or variable that holds one of ${importFields.join(', ')} (repeatable)`,
      )
        .argParser(parseField)
        .default({}, 'by their names'),
    )
    .takes(importOptions)
    .action(importFile);
  registerCheck(dataset);
  registerBuild(dataset);
}

/** Of those for which questions are left out, and of golds that are flawed. */
const shownReasons = 10;

async function importFile(format: ImportFormat, file: string, flags: ImportFlags): Promise<void> {
  const { out = `${format}.jsonl` } = flags;
  const made = await importDataset(loadEnvironment(), format, file, out, {
    names: flags.field,
    separator: flags.separator,
    comparison: { function: flags.evaluator, lowercase: flags.lowercase ?? false },
    keepUnscored: flags.keepUnscored ?? false,
  });
  const { questions, unscored, leftOut, warnings, golds } = made;
  for (const warning of warnings) warn(warning);
  const reasons = Object.entries(leftOut);
  for (const [reason, count] of reasons.slice(0, shownReasons)) {
    note(`left out: ${count} × ${reason}`);
  }
  if (reasons.length > shownReasons) {
    note(`and for ${reasons.length - shownReasons} more reasons: --json lists all`);
  }
  const flaws = golds?.flaws ?? [];
  for (const { uuid, message } of flaws.slice(0, shownReasons)) {
    note(`question ${uuid}: ${message}`);
  }
  if (flaws.length > shownReasons) {
    note(`and ${flaws.length - shownReasons} more flawed golds: --json lists all`);
  }
  printResult(
    flags.json,
    { out, questions, unscored, leftOut, golds },
    joined(
      '\n',
      `${questions} questions written to ${out}${unscored > 0 ? `, ${unscored} of which nothing can score` : ''}`,
      golds && goldsText(golds),
    ),
  );
}

const goldsText = ({ questions, ms, slowest, flaws }: GoldRuns): string =>
  joined(
    ', ',
    `gold SQL of ${counted(questions, 'question')}: ${flaws.length === 0 ? 'all' : questions - flaws.length} give rows`,
    `${shortDuration(ms)} in all`,
    slowest && `${shortDuration(slowest.ms)} for the slowest, ${slowest.uuid}`,
  );

function parseField(text: string, names: FieldNames): FieldNames {
  const [, field, name] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  const known = importFields.find((each) => each === field);
  if (known === undefined || name === undefined) {
    throw new InvalidArgumentError(
      `It must be FIELD=NAME, FIELD one of ${importFields.join(', ')}.`,
    );
  }
  return { ...names, [known]: name };
}

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

function registerCheck(dataset: CommandLine): void {
  dataset
    .command('check')
    .description(
      'find questions whose score would say nothing, before a model is paid: exit status 1 if there are any',
    )
    .argument('<file>', 'the dataset, JSONL')
    .takes(checkOptions)
    .action(check);
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
      section('check', 'Faults', {
        words: `${path}: ${counted(items.length, 'item')}, ${faulty === 0 ? 'no faults' : `${faulty} with faults`}`,
        tone: faulty === 0 ? undefined : 'bad',
        tables: [
          listOf(
            'Questions with faults',
            ['line', 'question', 'check', 'reason'],
            items.flatMap(({ line, uuid, faults }) =>
              faults.map(({ check, reason }) => [String(line), uuid, check, reason]),
            ),
          ),
          figuresOf(
            'Checks',
            ['check', 'what holds', 'faults'],
            checks.map(({ check, finds, faults }) => [check, finds, faults]),
            2,
          ),
        ].map(unlessEmpty),
      }),
    ],
    data: { dataset: path, faulty, checks, items },
  });
  process.exitCode = faulty === 0 ? exitStatus.done : exitStatus.datasetFaulty;
}

const countOf = (items: readonly CheckedLine[], name: DatasetCheck): number =>
  items.flatMap(({ faults }) => faults).filter(({ check }) => check === name).length;
