import { z } from 'zod';
import { actionFormatNames } from '../agent/actions/action-format.js';
import { methodNames } from '../agent/methods.js';
import { observationFormatNames } from '../agent/observations/table-formats.js';
import { evaluationNameSchema } from '../ids.js';
import { modelApis } from '../model-api.js';
import { reasoningEfforts } from '../models/model-settings.js';
import { combinations, maxJudges } from '../scoring/judging/judging-config.js';

const whole = (least: number, most: number): z.ZodInt => z.int().min(least).max(most);
const decimal = (least: number, most: number): z.ZodNumber => z.number().min(least).max(most);
const text = z.string().min(1, 'must not be empty');

const usd = decimal(0.000001, 1e9).describe('US dollars');
const tokens = whole(1, 1e12).describe('Tokens of prompts and completions');

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
  store: text.optional().describe('The store its questions are asked over'),
  ...choice,
});

const modelSchema = z.strictObject({
  name: text.describe('As its provider names it'),
  label,
  api: z.enum(modelApis).optional().describe('In which it is asked. Usually chat'),
  temperature: decimal(0, 2).optional(),
  topP: decimal(0.000001, 1).optional(),
  maxTokens: whole(1, 1_000_000)
    .optional()
    .describe('Of one completion, hidden reasoning included'),
  seed: whole(0, Number.MAX_SAFE_INTEGER).optional().describe('Asks for repeatable sampling'),
  reasoningEffort: z.enum(reasoningEfforts).optional(),
  stream: z.boolean().optional().describe('Have replies sent piece by piece'),
});

const judgesSchema = z.strictObject({
  models: z.array(text).min(1).max(maxJudges).describe('Each judges alone'),
  api: z.enum(modelApis).optional().describe('In which they are asked. Usually chat'),
  combination: z.enum(combinations).optional().describe('How several verdicts become one'),
  tries: whole(1, 10).optional().describe('Calls about one answer'),
  judgeEmpty: z.boolean().optional().describe('Whether an empty long answer has the lowest score'),
});

/** Options of `turnwise run`, by their names on the command line in camelCase. */
const runSchema = z.strictObject({
  maxTurns: whole(1, 100).optional().describe('Turns a question may take'),
  window: whole(0, 100).optional().describe('Turns of history the model is sent'),
  contextTokens: whole(1000, 10_000_000).optional().describe('What the model can be sent at most'),
  actionFormat: z.enum(actionFormatNames).optional().describe('How the model writes its actions'),
  observationFormat: z
    .enum(observationFormatNames)
    .optional()
    .describe('How the model is shown rows and hits'),
  modelAttempts: whole(1, 1000).optional().describe('Tries of one model call'),
  modelTimeout: decimal(0.1, 3600).optional().describe('Seconds of one model call'),
  toolTimeout: decimal(0.1, 120).optional().describe('Seconds of one SQL statement or search'),
  strict: z.boolean().optional().describe('Parse and render exactly as the reference does'),
  cache: z.boolean().optional().describe('Pay for equal requests once'),
  sqlRepairs: whole(0, 5).optional().describe('Rounds in which `sequential` repairs queries'),
  resultRows: whole(1, 10_000).optional().describe('Rows of a result that a model is shown'),
  resultTokens: whole(50, 1_000_000).optional().describe('Tokens of a result that it is shown'),
  questionBudgetUsd: usd.optional().describe('What each question may cost, in US dollars'),
  questionBudgetTokens: tokens.optional().describe('Tokens each question may use'),
  questionTimeLimit: decimal(0.001, 1e7).optional().describe('Seconds for each question'),
  onFailure: z.enum(['end', 'wait']).optional().describe('When retries are exhausted'),
  holdAfter: whole(1, 1000).optional().describe('Equal failures in a row that hold a run'),
  skipBadDatabases: z
    .boolean()
    .optional()
    .describe('Whether to leave out questions whose database cannot be read'),
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
    epochs: whole(1, 1000).optional().describe('Times each question is asked. Usually 1'),
    budget: z
      .strictObject({ usd: usd.optional(), tokens: tokens.optional() })
      .optional()
      .describe('What all runs of the evaluation may take together'),
    concurrency: z
      .union([z.literal('auto'), whole(1, 2000)])
      .optional()
      .describe('Questions in flight; auto: as many as the provider takes'),
    judges: judgesSchema.optional().describe('Who decides what no comparison can'),
    run: runSchema.optional().describe('Options of every run'),
  })
  .meta({
    title: 'An evaluation of turnwise',
    description: 'Every dataset is asked by every method with every model: docs/evaluations.md',
  });
export type EvaluationFile = Readonly<z.infer<typeof evaluationFileSchema>>;
export type RunOptions = Readonly<z.infer<typeof runSchema>>;

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
