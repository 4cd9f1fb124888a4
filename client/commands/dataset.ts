import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { goldFunctions, type GoldFunction } from '../../domain/runs/imports/gold-evaluator.js';
import {
  importFields,
  importFormats,
  type FieldNames,
  type ImportFormat,
} from '../../domain/runs/imports/imported-question.js';
import { importDataset } from '../runs/import-dataset.js';

interface ImportFlags {
  readonly out: string;
  readonly field: FieldNames;
  readonly separator: string;
  readonly evaluator: GoldFunction;
  readonly lowercase?: true;
  readonly keepUnscored?: true;
  readonly json?: true;
}

export function registerDataset(program: Command): void {
  const dataset = program.command('dataset').description('datasets made of other files');
  dataset
    .command('import')
    .description('make a dataset of questions from another program')
    .addArgument(new Argument('<format>', 'whose file it is').choices(importFormats))
    .argument('<file>', 'JSONL of OpenAI Evals, YAML or JSON of promptfoo, or CSV with a header')
    .requiredOption('--out <file>', 'the dataset')
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
}

async function importFile(format: ImportFormat, file: string, flags: ImportFlags): Promise<void> {
  const { out } = flags;
  const { questions, unscored, warnings } = await importDataset(format, file, out, {
    names: flags.field,
    separator: flags.separator,
    comparison: { function: flags.evaluator, lowercase: flags.lowercase ?? false },
    keepUnscored: flags.keepUnscored ?? false,
  });
  for (const warning of warnings) console.error(warning);
  console.log(
    flags.json
      ? JSON.stringify({ out, questions, unscored }, null, 1)
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
