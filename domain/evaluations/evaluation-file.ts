import { z } from 'zod';
import { methodNames } from '../agent/methods.js';
import { evaluationNameSchema } from '../ids.js';
import { settingsOf, whole } from '../option.js';
import {
  concurrency,
  judgeOptions,
  modelOptions,
  questionLimitOptions,
  skipOption,
  tokens,
  turnOptions,
  usd,
} from '../runs/run-options.js';

const text = z.string().min(1, 'must not be empty');

const label = text
  .max(60)
  .optional()
  .describe('How the names of its runs and the tables call it, if not by its name');

const choice = {
  limit: whole(1, 1_000_000).optional().describe('Only its first questions'),
  sample: whole(1, 1_000_000).optional().describe('Questions drawn by `seed`, always the same'),
  seed: whole(0, Number.MAX_SAFE_INTEGER).optional().describe('Of `sample`; usually 1'),
};

const datasetSchema = z.strictObject({
  path: text.describe('Questions, one JSON object a line; relative to this file'),
  label,
  store: text
    .optional()
    .describe(
      'The store its questions are asked over (default: the only one that holds what the method reads)',
    ),
  ...choice,
});

const { modelSeed, modelTimeout, cache, model: _, ...ofModel } = settingsOf(modelOptions);
const modelSchema = z.strictObject({
  name: text.describe('As its provider names it'),
  label,
  ...ofModel,
  api: ofModel.api.describe('In which it is asked. Usually chat'),
  seed: modelSeed,
});

const ofJudges = settingsOf(judgeOptions);
const judgesSchema = z.strictObject({
  models: ofJudges.judgeModel.nonoptional().describe('Each judges alone'),
  api: ofJudges.judgeApi.describe('In which they are asked. Usually chat'),
  combination: ofJudges.judges,
  tries: ofJudges.judgeTries,
  judgeEmpty: ofJudges.judgeEmpty,
});

/** Options of `turnwise run`, by their names on the command line in camelCase. */
const runSchema = z.strictObject({
  ...settingsOf(turnOptions),
  ...{ modelTimeout, cache },
  ...settingsOf({ ...questionLimitOptions, ...skipOption }),
});

/** An evaluation file as it is written: every dataset is asked by every method with every model. */
export const evaluationFileSchema = z
  .strictObject({
    name: evaluationNameSchema
      .optional()
      .describe('Begins the names of its runs. The name of the file if left out'),
    datasets: z
      .array(z.union([text, datasetSchema]))
      .min(1)
      .describe(
        'Paths, relative to this file, or entries with a store and a part of the questions',
      ),
    store: text.optional().describe('The store of every dataset that names none'),
    methods: z
      .array(z.union([z.enum(methodNames), text]))
      .min(1)
      .describe('How questions are answered: methods of turnwise, or of a plugin'),
    models: z
      .array(z.union([text, modelSchema]))
      .min(1)
      .describe('Names, or entries with settings'),
    plugins: z
      .array(text)
      .min(1)
      .optional()
      .describe('Modules with methods, scorers and actions of your own, relative to this file'),
    scorer: text
      .optional()
      .describe('A scorer of a plugin for every answer. Usually the evaluator of each question'),
    prompts: text.optional().describe('Other texts for agents and judges; relative to this file'),
    epochs: whole(1, 1000).optional().describe('Times each question is asked. Usually 1'),
    budget: z
      .strictObject({
        usd: usd.optional().describe('US dollars'),
        tokens: tokens.optional().describe('Tokens of prompts and completions'),
      })
      .optional()
      .describe('What all runs of the evaluation may take together'),
    concurrency: concurrency
      .optional()
      .describe('Questions in flight; auto: as many as the provider takes'),
    judges: judgesSchema.optional().describe('Who decides what no comparison can'),
    run: runSchema.optional().describe('Options of every run'),
  })
  .meta({
    title: 'An evaluation of turnwise',
    description:
      'Every dataset is asked by every method with every model: docs/how-to/evaluations.md',
  });
export type EvaluationFile = Readonly<z.infer<typeof evaluationFileSchema>>;

/** For editors: `turnwise eval --schema`. */
export const evaluationJsonSchema = (): string =>
  `${JSON.stringify(z.toJSONSchema(evaluationFileSchema, { target: 'draft-7', io: 'input' }), null, 2)}\n`;

/** The first flaw of a file. */
export interface FileFlaw {
  readonly path: readonly PropertyKey[];
  /** Continues the name of what it is about. */
  readonly message: string;
  /** A key or a word that is not known, and what there is instead. */
  readonly unknown?: { readonly word: string; readonly known: readonly string[] };
}

/** @param error - from a parse of a file with `evaluationFileSchema` */
export const flawOf = ({ issues }: z.ZodError): FileFlaw => flawOfIssue(worst(issues), []);

/** A key that is not known explains why another is missing. There is at least one issue. */
const worst = (issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue =>
  issues.find(({ code }) => code === 'unrecognized_keys') ?? (issues[0] as z.core.$ZodIssue);

function flawOfIssue(issue: z.core.$ZodIssue, before: readonly PropertyKey[]): FileFlaw {
  const path = [...before, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const word = issue.keys[0] ?? '';
    const known = keysAt(path);
    return { path: [...path, word], message: 'is no setting', unknown: { word, known } };
  }
  if (path[0] === 'concurrency') {
    return { path, message: 'must be auto, or a whole number from 1 to 2000' };
  }
  if (issue.code === 'invalid_union') {
    const within = issue.errors.filter(({ length }) => length > 0).map(worst);
    // A value of neither kind fails each kind at its top.
    const meant = within.find(
      ({ code, path: inner }) => code !== 'invalid_type' || inner.length > 0,
    );
    return meant && meant.code !== 'invalid_value'
      ? flawOfIssue(meant, path)
      : { path, message: 'must be a text, or a list of `name: value`' };
  }
  if (issue.code === 'invalid_value') {
    const known = issue.values.map(String);
    const word = typeof issue.input === 'string' ? issue.input : undefined;
    return {
      path,
      message: `must be one of ${known.join(', ')}`,
      ...(word !== undefined && { unknown: { word, known } }),
    };
  }
  return { path, message: issue.message };
}

/** The keys that may stand where a path leads to. */
function keysAt([first, , third]: readonly PropertyKey[]): readonly string[] {
  const { shape } = evaluationFileSchema;
  switch (first) {
    case undefined:
      return Object.keys(shape);
    case 'datasets':
      return Object.keys(datasetSchema.shape);
    case 'models':
      return third === undefined ? Object.keys(modelSchema.shape) : [];
    case 'judges':
      return Object.keys(judgesSchema.shape);
    case 'run':
      return Object.keys(runSchema.shape);
    case 'budget':
      return ['usd', 'tokens'];
    default:
      return [];
  }
}
