import { parseJson } from '../python/json.js';
import { str } from '../python/text.js';
import type { PythonValue } from '../python/value.js';
import type { NumberedLine } from './json-lines.js';
import { predictionSchema, type Prediction } from './prediction.js';
import { readSampleLines } from './sample-lines.js';

export interface Predictions {
  readonly predictions: readonly Prediction[];
  /** Each naming its line. */
  readonly problems: readonly string[];
}

/** Reads answers that are to be scored. @param golds - the uuids that there is something to score by */
export function readPredictions(text: string, golds: ReadonlySet<string>): Predictions {
  const { lines, problems } = readSampleLines(text, predictionSchema, {
    name: 'predictions',
    lack: ({ uuid }) => (golds.has(uuid) ? null : `there is no gold for uuid ${uuid}`),
  });
  return { predictions: lines.map(predictionOf), problems };
}

type Line = NumberedLine<ReturnType<typeof predictionSchema.parse>>;

const predictionOf = ({ text, value: { uuid, epoch, answer, outcome } }: Line): Prediction => ({
  uuid,
  epoch,
  answer: typeof answer === 'string' ? { kind: 'str', value: answer } : answerIn(text),
  outcome: outcome.kind,
});

/** The answer of a line as Python reads it. */
function answerIn(line: string): PythonValue | null {
  const parsed = parseJson(line);
  if (parsed.kind === 'invalid' || parsed.value.kind !== 'dict') return null;
  const answer = parsed.value.entries.find(([key]) => str(key) === 'answer')?.[1];
  return answer === undefined || answer.kind === 'none' ? null : answer;
}
