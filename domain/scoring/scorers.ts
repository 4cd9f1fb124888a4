import { byCodePoint, str, type PythonValue, type PythonEntry } from '../formats/python/value.js';
import { pythonFromJsonText } from '../formats/python/json.js';
import { parsePythonLiteral } from '../formats/python/literal.js';
import { judgePart, judgedTask } from './judging/judge-part.js';
import { matchesBool, matchesFloat, matchesInt } from './match-number.js';
import { matchesExactly, matchesFuzzily, matchesText, thresholdOf, ratio } from './match-string.js';
import { mostPairs } from './pairing.js';
import {
  EvaluatorError,
  membersOf,
  required,
  signatures,
  type Comparison,
  type Finding,
  type Options,
  isEnabled,
  numberOption,
  textOption,
  type ScoringMode,
} from './scorer-options.js';
import { scored, scaleOf } from './verdict.js';

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
  const scorer = name.kind === 'str' ? scorerNamed(name.value) : undefined;
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
export function scorerNamed(name: string): Scorer | undefined {
  const signature = signatures.get(name);
  if (!signature) return undefined;
  return (answer, comparison) => {
    const stranger = [...comparison.options.keys()].find(
      (option) => ![...signature.required, ...signature.optional].includes(option),
    );
    if (signature.exact && stranger !== undefined) {
      throw new EvaluatorError(`${name} knows no ${stranger}`);
    }
    const task = judgedTask(name, comparison);
    if (task) return judgePart(task, answer, comparison);
    const scorer = computedScorers.get(name);
    if (!scorer) throw new Error(`${name} has a signature and no scorer`);
    return scorer(answer, comparison);
  };
}

/**
 * The members of a list, tuple or set, or of a text that represents one. Any other value is its own single member. Default
 * mode also reads common deviations from Python's syntax: `[true, null]`, curly quotes, a byte-order mark.
 */
function readList(value: PythonValue, mode: ScoringMode): readonly PythonValue[] {
  return readItems(value, mode) ?? [value];
}

/** Null for a value that is no list, tuple or set. */
export const readItems = (
  value: PythonValue,
  mode: ScoringMode = 'default',
): readonly PythonValue[] | null => itemsOf(value) ?? itemsOf(literalIn(value, mode));

/**
 * The entries of a dict, or of a text that represents one in JSON or Python. Null for other JSON. For any other text, the
 * empty dict in strict mode, as in the reference, and null in default mode.
 */
export function readDict(value: PythonValue, mode: ScoringMode): readonly PythonEntry[] | null {
  if (value.kind === 'dict') return value.entries;
  const json = value.kind === 'str' ? pythonFromJsonText(value.value) : null;
  const read = json ?? literalIn(value, mode);
  if (read?.kind === 'dict') return read.entries;
  return mode === 'strict' && json === null ? [] : null;
}

function itemsOf(value: PythonValue | null): readonly PythonValue[] | null {
  return value !== null && 'items' in value ? value.items : null;
}

function literalIn(value: PythonValue, mode: ScoringMode): PythonValue | null {
  if (value.kind !== 'str') return null;
  const parsed = parsePythonLiteral(value.value, mode === 'strict' ? 'python' : 'lenient');
  return parsed.kind === 'parsed' ? parsed.value : null;
}

/** As many as possible, each with one of the others. */
function maxPairs<L, R>(
  lefts: readonly L[],
  rights: readonly R[],
  fits: (left: L, right: R) => boolean,
): number {
  const fitting = lefts.map((left) => rights.map((right) => fits(left, right)));
  return mostPairs({
    lefts: lefts.length,
    rights: rights.length,
    fits: (left, right) => fitting[left]?.[right] === true,
  });
}

/** Whether the answer is one of the gold elements. */
function isElement(answer: PythonValue, comparison: Comparison): boolean {
  return elementsOf(comparison).some((gold) => fitsElement(answer, gold, comparison));
}

/** Whether every member of the answer is a gold element. An empty answer passes in strict mode only, as in the reference. */
function areElements(answer: PythonValue, comparison: Comparison): boolean {
  const given = readList(answer, comparison.mode);
  if (comparison.mode === 'default' && given.length === 0) return false;
  return given.every((member) => isElement(member, comparison));
}

/**
 * Whether the answer contains at least `count` gold elements, and at least one. The reference counts the members of the
 * answer, so that `a` and `A` are two. In default mode each gold element counts once.
 */
function overlaps(answer: PythonValue, comparison: Comparison): boolean {
  const count = Math.max(1, numberOption(comparison.options, 'count', 1));
  const given = readList(answer, comparison.mode);
  if (comparison.mode === 'default') {
    const fits = (one: PythonValue, gold: PythonValue): boolean =>
      fitsElement(one, gold, comparison);
    return maxPairs(given, elementsOf(comparison), fits) >= count;
  }
  const texts = given.filter((member) => isElement(member, comparison)).map(str);
  return new Set(texts).size >= count;
}

/** In default mode a gold text is a single element. The reference iterates over its characters. */
function elementsOf({ options, mode }: Comparison): readonly PythonValue[] {
  const gold = required(options, 'gold');
  return mode === 'default' && gold.kind === 'str' ? [gold] : membersOf(gold, 'gold');
}

function fitsElement(answer: PythonValue, gold: PythonValue, comparison: Comparison): boolean {
  const options = new Map([['ndigits', { kind: 'int', value: 2n }], ...comparison.options]);
  switch (textOption(options, 'element_type', 'str')) {
    case 'str':
      return matchesText(answer, gold, comparison);
    case 'int':
      return matchesInt(answer, gold, comparison);
    case 'float':
      return matchesFloat(answer, gold, { ...comparison, options });
    default:
      return matchesStructure(answer, gold, { ...comparison, options });
  }
}

/** Whether the answer is nearly equal to the reference title, or to one of several. */
function isRelevantPaper(answer: PythonValue, comparison: Comparison): boolean {
  required(comparison.options, 'question');
  const reference = required(comparison.options, 'reference_answer');
  if (answer.kind !== 'str') throw new EvaluatorError('the answer is no text');
  const given = answer.value.toLowerCase();
  const isTitle = (title: PythonValue): boolean => {
    if (title.kind !== 'str') throw new EvaluatorError('a reference answer is no text');
    return ratio(given, title.value.toLowerCase()) >= thresholdOf(comparison, 95);
  };
  if (reference.kind === 'str') return isTitle(reference);
  if (reference.kind === 'list') return reference.items.some(isTitle);
  if (comparison.mode === 'default') throw new EvaluatorError('reference_answer is no text');
  return false;
}

/** Compares by the type of the gold answer, recursively in lists and dicts. A text in the answer is parsed at every level. */
function matchesStructure(answer: PythonValue, gold: PythonValue, comparison: Comparison): boolean {
  switch (gold.kind) {
    case 'list':
      return matchesList(readList(answer, comparison.mode), gold.items, comparison);
    case 'dict': {
      const given = readDict(answer, comparison.mode);
      return given !== null && matchesDict(given, gold.entries, comparison);
    }
    case 'bool':
      // A bool is an int in Python, so the reference accepts 1 for true, but not `yes`.
      return comparison.mode === 'strict'
        ? matchesInt(answer, gold, comparison)
        : matchesBool(answer, gold, comparison);
    case 'int':
      return matchesInt(answer, gold, comparison);
    case 'float':
      return matchesFloat(answer, gold, comparison);
    case 'none':
    case 'ellipsis':
    case 'complex':
    case 'str':
    case 'bytes':
    case 'tuple':
    case 'set':
      return matchesText(answer, gold, comparison);
  }
}

/** Compares member by member. With `ignore_order`, strict mode sorts both lists first, and default mode accepts any pairing. */
function matchesList(
  given: readonly PythonValue[],
  gold: readonly PythonValue[],
  comparison: Comparison,
): boolean {
  if (given.length !== gold.length) return false;
  const fits = (one: PythonValue, other: PythonValue): boolean =>
    matchesStructure(one, other, comparison);
  const anyOrder = isEnabled(comparison.options, 'ignore_order');
  if (anyOrder && comparison.mode === 'default') {
    return maxPairs(given, gold, fits) === gold.length;
  }
  return anyOrder ? pairsFit(inOrder(given), inOrder(gold), fits) : pairsFit(given, gold, fits);
}

const inOrder = (values: readonly PythonValue[]): readonly PythonValue[] =>
  values.toSorted((a, b) => byCodePoint(str(a), str(b)));

function pairsFit(
  given: readonly PythonValue[],
  gold: readonly PythonValue[],
  fits: (one: PythonValue, other: PythonValue) => boolean,
): boolean {
  return gold.every((member, index) => {
    const other = given[index];
    return other !== undefined && fits(other, member);
  });
}

function matchesDict(
  given: readonly PythonEntry[],
  gold: readonly PythonEntry[],
  comparison: Comparison,
): boolean {
  if (given.length !== gold.length) return false;
  const lowercase =
    isEnabled(comparison.options, 'lowercase') &&
    (comparison.mode === 'strict' || byKey(gold, comparison, true).size === gold.length);
  const answer = byKey(given, comparison, lowercase);
  return [...byKey(gold, comparison, lowercase)].every(([key, value]) => {
    const found = answer.get(key);
    return found !== undefined && matchesStructure(found, value, comparison);
  });
}

/**
 * The entries by the text of their keys. Strict mode ignores keys that are not texts. If `lowercase` makes keys equal, the
 * last value wins, so default mode keeps the case if the gold answer has such keys.
 */
function byKey(
  entries: readonly PythonEntry[],
  { mode }: Comparison,
  lowercase: boolean,
): ReadonlyMap<string, PythonValue> {
  const members = new Map<string, PythonValue>();
  for (const [key, value] of entries) {
    if (mode === 'strict' && key.kind !== 'str') {
      // The reference lower-cases every key first, and raises an exception for a key that is not a text.
      if (lowercase) throw new EvaluatorError('a key of the answer is no text');
      continue;
    }
    members.set(lowercase ? str(key).toLowerCase() : str(key), value);
  }
  return members;
}
