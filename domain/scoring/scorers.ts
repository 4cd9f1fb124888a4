import type { PythonValue } from '../formats/python/value.js';
import { judgePart, judgedTasks } from './judging/judge-part.js';
import {
  areElements,
  isElement,
  isRelevantPaper,
  matchesStructure,
  overlaps,
  readList,
} from './match-collection.js';
import { matchesBool, matchesFloat, matchesInt } from './match-number.js';
import { matchesExactly, matchesFuzzily } from './match-string.js';
import {
  EvaluatorError,
  membersOf,
  required,
  signatures,
  type Comparison,
  type Finding,
  type Options,
} from './scorer-options.js';
import { scaleOf } from './scale.js';
import { scored } from './verdict.js';

/** Scores each member of the answer by its own part. All must pass. The whole is unscored if a part is, unless another part fails. */
const conjunction: Scorer = (answer, comparison) =>
  combine(partFindings(answer, comparison), comparison, {
    decides: (score) => score < 0.5,
    decided: false,
  });

/** Scores each member of the answer by its own part. One must pass. */
const disjunction: Scorer = (answer, comparison) =>
  combine(partFindings(answer, comparison), comparison, {
    decides: (score) => score > 0.5,
    decided: true,
  });

/** One minus the inner score of the whole answer. */
const negation: Scorer = (answer, comparison) => {
  const name = required(comparison.options, 'eval_func');
  const inner = required(comparison.options, 'eval_kwargs');
  const finding = score(answer, { index: 0, name, options: optionsOf(inner) }, comparison);
  if (finding.kind !== 'scored') return finding;
  const { rationale } = finding;
  return {
    kind: 'scored',
    score: 1 - finding.score,
    ...(rationale !== undefined && { rationale }),
  };
};

interface Part {
  /** The index in the list of parts, from 0. */
  readonly index: number;
  readonly name: PythonValue;
  readonly options: Options;
}

/** Null unless the answer has one member for each part. Lazy: the parts after the one that decides are not scored. */
function partFindings(answer: PythonValue, comparison: Comparison): Iterable<Finding> | null {
  const names = membersOf(required(comparison.options, 'eval_func_list'), 'eval_func_list');
  const inner = membersOf(required(comparison.options, 'eval_kwargs_list'), 'eval_kwargs_list');
  if (comparison.mode === 'default' && inner.length !== names.length) {
    throw new EvaluatorError('eval_func_list and eval_kwargs_list differ in length');
  }
  const members = readList(answer, comparison.mode);
  if (members.length !== names.length) return null;
  return (function* () {
    for (const [index, member] of members.entries()) {
      const [name, options] = [names[index], inner[index]];
      // As in the reference, the shortest list counts: a part without options counts as passed.
      if (name === undefined || options === undefined) return;
      yield score(member, { index, name, options: optionsOf(options) }, comparison);
    }
  })();
}

/**
 * Combines the findings of the parts. The judge is asked only if no other part decides. In strict mode the parts are scored
 * in their order, because the reference stops at the first exception.
 */
function combine(
  findings: Iterable<Finding> | null,
  { mode }: Comparison,
  { decides, decided }: { readonly decides: (score: number) => boolean; readonly decided: boolean },
): Finding {
  if (findings === null) return scored(false);
  let open: Finding | undefined;
  let unknown: Finding | undefined;
  const reasons: string[] = [];
  for (const finding of findings) {
    if (finding.kind === 'open') {
      if (mode === 'strict') return finding;
      open ??= finding;
    } else if (finding.kind === 'unscored') unknown ??= finding;
    else {
      // The reference compares a grade from 1 to 10 with 0.5, so that every grade passes.
      const inner = mode === 'strict' ? (finding.rawScore ?? finding.score) : finding.score;
      if (decides(inner)) return scored(decided, finding.rationale);
      if (finding.rationale !== undefined) reasons.push(finding.rationale);
    }
  }
  return open ?? unknown ?? scored(!decided, reasons.join('\n\n'));
}

function score(
  answer: PythonValue,
  { index, name, options }: Part,
  comparison: Comparison,
): Finding {
  const scorer = name.kind === 'str' ? scorerOf(name.value) : undefined;
  if (!scorer) throw new EvaluatorError('an inner function is unknown');
  if (name.kind === 'str' && scaleOf(name.value) !== 'unit')
    throw new EvaluatorError(`the grades of ${name.value} are no part of a logical function`);
  return scorer(answer, { ...comparison, options, part: `${comparison.part}.${index}` });
}

function optionsOf(value: PythonValue): Options {
  if (value.kind !== 'dict')
    throw new EvaluatorError('the options of an inner function are no object');
  return new Map(
    value.entries.flatMap(([key, option]) => (key.kind === 'str' ? [[key.value, option]] : [])),
  );
}

/** @throws EvaluatorError where the reference raises an exception */
type Scorer = (answer: PythonValue, comparison: Comparison) => Finding;

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

/** The reference compares a gold list as text, so that only Python's rendering of the list matches. Default mode compares lists. */
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
  ['eval_conjunction', conjunction],
  ['eval_disjunction', disjunction],
  ['eval_negation', negation],
  [
    'eval_execution_match',
    () => {
      throw new EvaluatorError('eval_execution_match is no part of another function');
    },
  ],
]);

/** Undefined for an unknown name. */
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
