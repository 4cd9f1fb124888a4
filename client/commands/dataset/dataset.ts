import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { z } from 'zod';
import { counted, joined, shortDuration } from '../../../domain/formats/text.js';
import { datasetNameSchema, type DatasetName } from '../../../domain/ids.js';
import { flag, type FlagsOf, formatOptions, jsonOption, option } from '../../../domain/option.js';
import {
  goldFunctions,
  importFields,
  type FieldNames,
} from '../../../domain/runs/imports/imported-question.js';
import { UserError } from '../../../domain/user-error.js';
import { writeFileAtomically } from '../../../storage/atomic-file.js';
import { liveBuild, pauseBuild } from '../../runs/building/build-dataset.js';
import { openBuild } from '../../runs/building/dataset-files.js';
import { datasetLines, datasetStatus } from '../../runs/building/export-dataset.js';
import {
  importDataset,
  importFormats,
  type ImportFormat,
} from '../../runs/building/import-dataset.js';
import type { GoldRuns } from '../../runs/building/run-golds.js';
import { loadEnvironment } from '../../services/environment.js';
import { note, printJson, printResult, warn } from '../../services/tell.js';
import { printSections } from '../../views/print-sections.js';
import { datasetSections, pausedBuildText } from '../../views/building-text.js';
import { addOptions, parseArgument } from '../shared/arguments.js';
import { withSession } from '../shared/execute.js';
import { registerBuild } from './build.js';
import { registerCheck } from './check.js';
import { registerGates } from './gates.js';

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

interface Json {
  readonly json?: true;
}

export function registerDataset(program: Command): void {
  const dataset = program
    .command('dataset')
    .description(
      'datasets made of other files, checked, or built with people who confirm each item',
    );
  const toImport = dataset
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
    );
  addOptions(toImport, importOptions).action(importFile);
  registerCheck(dataset);
  registerBuild(dataset);
  const aboutOne = (name: string, description: string): Command =>
    dataset
      .command(name)
      .description(description)
      .argument('<dataset>', 'its name', parseArgument(datasetNameSchema));
  const json = ['--json', 'one JSON document'] as const;
  aboutOne(
    'pause',
    'ask no model for a dataset any more: calls under way end, people go on deciding',
  )
    .option(...json)
    .action((name: DatasetName, flags: Json) => setPaused(name, true, flags));
  aboutOne('resume', 'let a dataset go on that is paused')
    .option(...json)
    .action((name: DatasetName, flags: Json) => setPaused(name, false, flags));
  aboutOne(
    'prompts',
    'what models are told for a dataset, by step, as `dataset build --prompts` reads it',
  ).action(async (name: DatasetName) => {
    const { prompts } = await openBuild(loadEnvironment(), name);
    printJson(prompts.instructions);
  });
  registerGates(dataset);
  const status = aboutOne(
    'status',
    'how far a dataset is, agreement, near-duplicates, and Table 1 of what is done',
  );
  addOptions(status, formatOptions).action(
    async (name: DatasetName, flags: FlagsOf<typeof formatOptions>) => {
      const environment = loadEnvironment();
      const data = await datasetStatus(environment, name, await liveBuild(environment, name));
      printSections(flags, { title: `Dataset ${name}`, sections: datasetSections(data), data });
    },
  );
  aboutOne('export', 'write the items that are done as a dataset that `turnwise run` reads')
    .option('--out <file>', 'the dataset (default: DATASET.jsonl in this folder)')
    .option(...json)
    .action(exportDataset);
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
  { out = `${name}.jsonl`, json }: Json & { readonly out?: string },
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
