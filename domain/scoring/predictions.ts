import { z } from 'zod';
import { outcomeSchema, type OutcomeKind } from '../agent/question-result.js';
import { exactJsonSchema } from '../formats/json.js';
import {
  duplicateKeys,
  readJsonLines,
  type JsonLines,
  type NumberedLine,
} from '../formats/json-lines.js';
import { pythonFromJsonText } from '../formats/python/json.js';
import { str, type PythonValue } from '../formats/python/value.js';
import { questionIdSchema, type SampleKey } from '../ids.js';
import {
  datasetItemSchema,
  evaluatorOf,
  scoringProblems,
  type Evaluator,
  type ScoringFields,
} from './dataset-item.js';
import { scorerName } from './execution-match/execution-options.js';
import { type Execution } from './execution-match/execution.js';
import { errorMark, judgeValue, scoreOutcome } from './score-answer.js';
import { type Score } from './score.js';
import { scored, unscored, isLongForm, type Verdict } from './verdict.js';
import type { GoldItem } from './answer.js';
import type { ScoringMode } from './scorer-options.js';

interface SampleLinesOf<T> {
  /** What the lines contain, in the plural: `predictions`. */
  readonly name: string;
  /** What no two lines may be. @defaultValue the sample */
  readonly nameOf?: (value: T) => string;
  /** Why a line cannot be used. Null if it can. */
  readonly problemOf: (value: T) => string | null;
}

/** Reads a file with one line for each sample. Problems include repeated samples and an empty file. */
export function readSampleLines<T extends { readonly uuid: string; readonly epoch: number }>(
  text: string,
  schema: z.ZodType<T>,
  { name, problemOf, nameOf = sampleText }: SampleLinesOf<T>,
): Omit<JsonLines<T>, 'flaws'> {
  const { lines, problems } = readJsonLines(text, schema);
  return {
    lines,
    problems: [
      ...problems,
      ...duplicateKeys(lines, nameOf),
      ...lines.flatMap(({ line, value }) => {
        const problem = problemOf(value);
        return problem === null ? [] : [`line ${line}: ${problem}`];
      }),
      ...(lines.length === 0 && problems.length === 0 ? [`it holds no ${name}`] : []),
    ],
  };
}

const sampleText = ({ uuid, epoch }: { readonly uuid: string; readonly epoch: number }): string =>
  `uuid ${uuid}${epoch > 1 ? ` in epoch ${epoch}` : ''}`;

/** A line of the reference's `result.jsonl`, or of a run's `results.jsonl`. */
const predictionSchema = z.looseObject({
  uuid: questionIdSchema,
  epoch: z.int().min(1).default(1),
  answer: exactJsonSchema,
  outcome: outcomeSchema.default({ kind: 'answered' }),
});

/** An answer to be scored. */
export interface Prediction extends SampleKey {
  /** As in the result of a run. */
  readonly asking?: number | undefined;
  /** The value in the file, in which `1` and `1.0` differ. Null if there is no answer. */
  readonly answer: PythonValue | null;
  readonly outcome: OutcomeKind;
}

/** An answer and what it is scored by. */
export interface AnswerToScore {
  readonly prediction: Prediction;
  readonly item: GoldItem;
}

interface Predictions {
  readonly predictions: readonly Prediction[];
  /** Each names its line. */
  readonly problems: readonly string[];
}

/**
 * Reads answers to be scored. A JSON null is no answer. In strict mode it is one: the reference passes it to the evaluation
 * function as Python's `None`.
 * @param golds - the uuids of the items with gold answers
 */
export function readPredictions(
  text: string,
  golds: ReadonlySet<string>,
  mode: ScoringMode = 'default',
): Predictions {
  const { lines, problems } = readSampleLines(text, predictionSchema, {
    name: 'predictions',
    problemOf: ({ uuid }) => (golds.has(uuid) ? null : `there is no gold for uuid ${uuid}`),
  });
  return { predictions: lines.map((line) => predictionOf(line, mode)), problems };
}

type Line = NumberedLine<ReturnType<typeof predictionSchema.parse>>;

function predictionOf(
  { text, value: { uuid, epoch, answer, outcome } }: Line,
  mode: ScoringMode,
): Prediction {
  const sample = { uuid, epoch, outcome: outcome.kind };
  if (typeof answer === 'string') return { ...sample, answer: { kind: 'str', value: answer } };
  const isAnswer = answer !== null || (mode === 'strict' && outcome.kind === 'answered');
  return { ...sample, answer: isAnswer ? answerIn(text) : null };
}

/** The answer of a line as a Python value. */
function answerIn(line: string): PythonValue | null {
  const parsed = pythonFromJsonText(line);
  if (parsed?.kind !== 'dict') return null;
  return parsed.entries.find(([key]) => str(key) === 'answer')?.[1] ?? null;
}

/** A dataset item whose question may be absent. */
const goldSchema = datasetItemSchema.partial({ question: true });

export interface Golds {
  readonly items: readonly GoldItem[];
  /** Errors that make the file unusable. Each names its line. */
  readonly problems: readonly string[];
  /** Invalid or suspicious evaluators. Each names its line. */
  readonly warnings: readonly string[];
}

/**
 * Reads the items with the gold answers. An unknown evaluation function makes the file unusable. Invalid options only leave
 * the item's answer unscored, since published datasets have some.
 */
export function readGolds(text: string, own: ReadonlySet<string> = new Set()): Golds {
  const { lines, problems } = readJsonLines(text, goldSchema);
  const found = lines.flatMap(({ line, value }) =>
    scoringProblems(value, own).map((each) => ({ ...each, text: `line ${line}: ${each.message}` })),
  );
  return {
    items: lines.map(({ value }) => value),
    problems: [
      ...problems,
      ...duplicateKeys(lines, ({ uuid }) => `uuid ${uuid}`),
      ...found.flatMap(({ text, isFatal }) => (isFatal ? [text] : [])),
      ...(lines.length === 0 && problems.length === 0 ? ['it holds no items'] : []),
    ],
    warnings: found.flatMap(({ text, isFatal }) => (isFatal ? [] : [text])),
  };
}

/** Scores an answer without a judge. An answer that needs one is unscored. */
export function scorePrediction(
  { uuid, epoch, answer, outcome }: Prediction,
  item: ScoringFields,
  mode: ScoringMode,
  execution: Execution | null = null,
): Score {
  const evaluator = evaluatorOf(item);
  const { verdict } = scoreOutcome(
    { outcome, evaluator, answer, refusals: item.refusals },
    (given, by) => ({
      verdict:
        isError(given) && !isLongForm(by.eval_func)
          ? scored(false, 'no answer: [ERROR]')
          : verdictOn(given, by, mode, execution),
    }),
  );
  return {
    uuid,
    epoch,
    score: verdict.kind === 'scored' ? verdict.score : null,
    verdict,
    scorer: scorerName(evaluator),
  };
}

/** The reference's aggregation scores such an answer 0, without a call of its evaluation function. */
const isError = (answer: PythonValue): boolean =>
  answer.kind === 'str' && answer.value.slice(0, errorMark.length).toUpperCase() === errorMark;

function verdictOn(
  answer: PythonValue,
  evaluator: Evaluator,
  mode: ScoringMode,
  execution: Execution | null,
): Verdict {
  const finding = judgeValue({ answer, evaluator, mode, execution, judge: null });
  return finding.kind === 'open' ? unscored('needs-judge') : finding;
}
