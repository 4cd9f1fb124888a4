import { jsonDumps, parseJson } from '../python/json.js';
import type { PythonValue } from '../python/value.js';
import type { ScoringMode } from '../scoring/comparison.js';
import type { Case } from './hear-judge.js';
import type { CaseLine } from './judging-job.js';

/** An answer as a line of a job holds it. */
export const answerText = (answer: PythonValue): string =>
  jsonDumps(answer, { indent: null, ascii: false });

/** What `answerText` has written, back. */
export function caseOfLine(
  { answer, evaluator }: Pick<CaseLine, 'answer' | 'evaluator'>,
  mode: ScoringMode,
): Case {
  const parsed = parseJson(answer);
  const value = parsed.kind === 'invalid' ? { kind: 'str' as const, value: answer } : parsed.value;
  return { answer: value, evaluator, mode };
}
