import { judgePart } from '../judging/judge-part.js';
import { judgedTasks } from '../judging/judged-task.js';
import type { PythonValue } from '../python/value.js';
import { EvaluatorError, type Comparison } from './comparison.js';
import type { Finding } from './finding.js';
import { conjunction, disjunction, negation } from './logic.js';
import { matchesBool } from './match-bool.js';
import { areElements, isElement, overlaps } from './match-element.js';
import { matchesFloat, matchesInt } from './match-number.js';
import { isRelevantPaper } from './match-paper.js';
import { matchesExactly, matchesFuzzily } from './match-string.js';
import { matchesStructure } from './match-structure.js';
import { required } from './options.js';
import { signatures } from './signatures.js';
import { scored } from './verdict.js';

/** @throws EvaluatorError where the reference would raise */
export type Scorer = (answer: PythonValue, comparison: Comparison) => Finding;

type Matcher = (answer: PythonValue, comparison: Comparison) => boolean;

const matching =
  (matches: Matcher): Scorer =>
  (answer, comparison) =>
    scored(matches(answer, comparison));

const matchingGold = (
  matches: (answer: PythonValue, gold: PythonValue, comparison: Comparison) => boolean,
): Scorer =>
  matching((answer, comparison) =>
    matches(answer, required(comparison.options, 'gold'), comparison),
  );

/** A gold that is a list is compared as text by the reference, which nothing but Python's own rendering of it meets. */
const matchesTextOrList = (
  answer: PythonValue,
  gold: PythonValue,
  comparison: Comparison,
): boolean =>
  comparison.mode === 'default' && gold.kind === 'list'
    ? matchesStructure(answer, gold, comparison)
    : matchesExactly(answer, gold, comparison);

const computedScorers: ReadonlyMap<string, Scorer> = new Map<string, Scorer>([
  ['eval_string_exact_match', matchingGold(matchesTextOrList)],
  ['eval_string_fuzzy_match', matchingGold(matchesFuzzily)],
  ['eval_bool_exact_match', matchingGold(matchesBool)],
  ['eval_int_exact_match', matchingGold(matchesInt)],
  ['eval_float_exact_match', matchingGold(matchesFloat)],
  ['eval_structured_object_exact_match', matchingGold(matchesStructure)],
  ['eval_element_included', matching(isElement)],
  ['eval_element_list_included', matching(areElements)],
  ['eval_element_list_overlap', matching(overlaps)],
  ['eval_paper_relevance_with_reference_answer', matching(isRelevantPaper)],
  ['eval_conjunction', conjunction(scorerOf)],
  ['eval_disjunction', disjunction(scorerOf)],
  ['eval_negation', negation(scorerOf)],
]);

/** The scorer of that name; undefined when there is none. */
export function scorerOf(name: string): Scorer | undefined {
  const signature = signatures.get(name);
  if (!signature) return undefined;
  return (answer, comparison) => {
    const stranger = [...comparison.options.keys()].find(
      (option) => ![...signature.required, ...signature.optional].includes(option),
    );
    if (signature.exact && stranger !== undefined) {
      throw new EvaluatorError(`${name} knows no ${stranger}`);
    }
    const makeTask = judgedTasks.get(name);
    if (makeTask) {
      return judgePart(makeTask(comparison.options, comparison.mode), answer, comparison);
    }
    const scorer = computedScorers.get(name);
    if (!scorer) throw new Error(`${name} has a signature and no scorer`);
    return scorer(answer, comparison);
  };
}
