import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { goldFunctions, type GoldFunction } from '../../../domain/runs/imports/gold-evaluator.js';
import { importFields, type FieldNames } from '../../../domain/runs/imports/imported-question.js';
import { registerBuild } from './build.js';
import { registerExport } from './export.js';
import { registerGates } from './gates.js';
import { registerPauseBuild } from './pause.js';
import {
  importDataset,
  importFormats,
  type ImportFormat,
} from '../../runs/building/import-dataset.js';

interface ImportFlags {
  readonly out?: string;
  readonly field: FieldNames;
  readonly separator: string;
  readonly evaluator: GoldFunction;
  readonly lowercase?: true;
  readonly keepUnscored?: true;
  readonly json?: true;
}

export function registerDataset(program: Command): void {
  const dataset = program
    .command('dataset')
    .description('datasets made of other files, or built with people who confirm each item');
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
        '--field <field=name...>',
        `column or variable that holds one of ${importFields.join(', ')}`,
      )
        .argParser(parseField)
        .default({}, 'by their names'),
    )
    .option('--separator <character>', 'between the cells of CSV', parseSeparator, ',')
    .addOption(
      new Option('--evaluator <function>', 'how golds of openai-evals and csv are compared')
        .choices(goldFunctions)
        .default('eval_string_exact_match'),
    )
    .option('--lowercase', 'upper and lower case are the same, where the evaluator can have it so')
    .option(
      '--keep-unscored',
      'keep questions of promptfoo whose assertions no evaluator is equal to, without a score',
    )
    .option('--json', 'one JSON document')
    .action(importFile);
  registerBuild(dataset);
  registerPauseBuild(dataset);
  registerGates(dataset);
  registerExport(dataset);
}

/** Of those for which questions are left out. */
const shownReasons = 10;

async function importFile(format: ImportFormat, file: string, flags: ImportFlags): Promise<void> {
  const { out = `${format}.jsonl` } = flags;
  const { questions, unscored, leftOut, warnings } = await importDataset(format, file, out, {
    names: flags.field,
    separator: flags.separator,
    comparison: { function: flags.evaluator, lowercase: flags.lowercase ?? false },
    keepUnscored: flags.keepUnscored ?? false,
  });
  for (const warning of warnings) console.error(warning);
  const reasons = Object.entries(leftOut);
  for (const [reason, count] of reasons.slice(0, shownReasons)) {
    console.error(`left out: ${count} × ${reason}`);
  }
  if (reasons.length > shownReasons) {
    console.error(`and for ${reasons.length - shownReasons} more reasons: --json lists all`);
  }
  console.log(
    flags.json
      ? JSON.stringify({ out, questions, unscored, leftOut }, null, 1)
      : `${questions} questions written to ${out}${unscored > 0 ? `, ${unscored} of which nothing can score` : ''}`,
  );
}

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

function parseSeparator(text: string): string {
  const character = text === '\\t' ? '\t' : text;
  if (character.length === 1 && !/["\r\n]/.test(character)) return character;
  throw new InvalidArgumentError('It must be one character, e.g. ";" or "\\t".');
}
