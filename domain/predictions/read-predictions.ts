import { pythonFromJsonText } from '../python/json.js';
import { str } from '../python/text.js';
import type { PythonValue } from '../python/value.js';
import type { ScoringMode } from '../scoring/comparison.js';
import type { NumberedLine } from './json-lines.js';
import { predictionSchema, type Prediction } from './prediction.js';
import { readSampleLines } from './sample-lines.js';

export interface Predictions {
  readonly predictions: readonly Prediction[];
  /** Each naming its line. */
  readonly problems: readonly string[];
}

/**
 * Reads answers that are to be scored. A JSON null is no answer; strict scoring takes it for an answer, as the reference
 * does, which passes it to the evaluation function as Python's `None`.
 * @param golds - the uuids that there is something to score by
 */
export function readPredictions(
  text: string,
  golds: ReadonlySet<string>,
  mode: ScoringMode = 'default',
): Predictions {
  const { lines, problems } = readSampleLines(text, predictionSchema, {
    name: 'predictions',
    lack: ({ uuid }) => (golds.has(uuid) ? null : `there is no gold for uuid ${uuid}`),
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

/** The answer of a line as Python reads it. */
function answerIn(line: string): PythonValue | null {
  const parsed = pythonFromJsonText(line);
  if (parsed?.kind !== 'dict') return null;
  return parsed.entries.find(([key]) => str(key) === 'answer')?.[1] ?? null;
}
