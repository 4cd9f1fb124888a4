import type { ExactJson } from '../formats/json.js';
import { str, pythonFromJson, type PythonValue } from '../formats/python/value.js';
import { preview } from '../formats/text.js';
import type { Fault } from './execution-match/check-gold.js';
import { innerEvaluators, type Evaluator } from './dataset-item.js';
import { executionMatch } from './execution-match/execution-options.js';
import { judgeValue } from './score-answer.js';

const nonsense = 'umbrella trombone quartz 77131';
const text = (value: string): PythonValue => ({ kind: 'str', value });

/** Answers that are right under no gold. */
const answersToAnything: readonly (readonly [kind: string, answer: string])[] = [
  ['an empty answer', ''],
  ['a refusal', 'I cannot answer this question.'],
  ['a refusal', "I don't know."],
  ['nonsense', nonsense],
  ['nonsense', '[]'],
  ['nonsense', '{}'],
];

/** What makes a number wrong. A float that is off by half of its size is wrong, too, but below 1 it may be rounded to the same. */
const wrongNumbers: readonly ((value: number) => number)[] = [
  (value) => 2 * value + 13,
  (value) => (Math.abs(value) < 1 ? 3 * value + 1 : 1.5 * value),
];

const functionsOfGold: ReadonlySet<string> = new Set([
  ...['eval_string_exact_match', 'eval_string_fuzzy_match', 'eval_bool_exact_match'],
  ...['eval_int_exact_match', 'eval_float_exact_match', 'eval_structured_object_exact_match'],
  ...['eval_element_list_included', 'eval_element_list_overlap'],
]);

/** What may hold the right answer. */
const goldOptions = ['gold', 'reference_answer', 'candidate_reference_answers', 'scoring_points'];

const isEmpty = (value: unknown): boolean =>
  value === null ||
  (typeof value === 'string' && value.trim() === '') ||
  (typeof value === 'object' && Object.values(value).every(isEmpty));

/** What is wrong with a scorer whatever is answered: it cannot fail, or its own gold does. Judges and the user's own scorers are not asked. */
export function scorerFaults(evaluator: Evaluator): readonly Fault[] {
  const { eval_func: name, eval_kwargs: options } = evaluator;
  const empty = [...goldOptions, 'formulas', 'gold_sql', 'gold_csv'].find(
    (option) => option in options && isEmpty(options[option]),
  );
  if (empty !== undefined) return [{ check: 'empty-gold', reason: `${empty} is empty` }];
  const gold = goldAnswer(evaluator);
  const scoreOf = (answer: PythonValue): number | null => {
    const finding = judgeValue({ answer, evaluator, mode: 'default', judge: null });
    return finding.kind === 'scored' ? finding.score : null;
  };
  const answers = [
    ...answersToAnything.map(([kind, answer]) => [kind, text(answer)] as const),
    ...wrongNumbers.map((wrong) => ['a wrong answer', asText(spoiled(gold, wrong))] as const),
  ];
  const passing = answers.find(
    ([, answer]) => !(gold && isSame(answer, asText(gold))) && (scoreOf(answer) ?? 0) > 0,
  );
  if (passing) {
    const [kind, answer] = passing;
    return [{ check: 'cannot-fail', reason: `${kind} scores: ${shown(answer)}` }];
  }
  const part = name === 'eval_negation' ? [] : partFaults(evaluator);
  if (part.length > 0 || gold === null) return part;
  const score = scoreOf(asText(gold));
  return score === null || score === 1
    ? []
    : [{ check: 'gold-scores', reason: `the gold itself scores ${score}: ${shown(asText(gold))}` }];
}

const shown = (answer: PythonValue): string => JSON.stringify(preview(str(answer), 60));

/** A model answers with a text. */
const asText = (value: PythonValue | null): PythonValue =>
  text(value === null ? nonsense : str(value));

const letters = (value: PythonValue): string =>
  str(value)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
const isSame = (a: PythonValue, b: PythonValue): boolean =>
  str(a) === str(b) || (letters(a) !== '' && letters(a) === letters(b));

/** A part that cannot fail may hide behind others. That a part is a negation is no fault. */
const partFaults = ({ eval_func, eval_kwargs }: Evaluator): readonly Fault[] =>
  innerEvaluators(eval_func, eval_kwargs)
    .flatMap((part, index) =>
      'severity' in part || part.eval_func === 'eval_negation'
        ? []
        : scorerFaults(part).map(({ check, reason }) => ({
            check,
            reason: `part ${index + 1}, ${part.eval_func}: ${reason}`,
          })),
    )
    .slice(0, 1);

/** An answer that an evaluator must call right; null where only a judge, a database or the user's own code knows. */
function goldAnswer({ eval_func: name, eval_kwargs: options }: Evaluator): PythonValue | null {
  const value =
    options[name === 'eval_paper_relevance_with_reference_answer' ? 'reference_answer' : 'gold'];
  if (name === 'eval_conjunction' || name === 'eval_disjunction') {
    const parts = innerEvaluators(name, options).map((part) =>
      'severity' in part
        ? null
        : part.eval_func === 'eval_negation'
          ? text(nonsense)
          : goldAnswer(part),
    );
    // One that is known is enough for a disjunction.
    const isKnown =
      parts.length > 0 &&
      (name === 'eval_conjunction' ? !parts.includes(null) : parts.some((part) => part !== null));
    return isKnown ? { kind: 'list', items: parts.map((part) => part ?? text(nonsense)) } : null;
  }
  if (value === undefined) return null;
  if (functionsOfGold.has(name)) return pythonFromJson(value);
  if (name === executionMatch) return answerUnderRule(value);
  if (!/^eval_(?:element_included|paper_relevance)/.test(name)) return null;
  return pythonFromJson(
    Array.isArray(value) ? ((value as readonly ExactJson[])[0] ?? null) : value,
  );
}

/** Under rules that compare answers: a text, or names with their values. */
const answerUnderRule = (gold: unknown): PythonValue =>
  text(
    Array.isArray(gold)
      ? gold.map(([name, value]: readonly string[]) => `@${name ?? ''}[${value ?? ''}]`).join(', ')
      : String(gold),
  );

/** The same shape with other values. */
function spoiled(value: PythonValue | null, wrong: (value: number) => number): PythonValue {
  switch (value?.kind) {
    case 'int':
    case 'float':
      return { kind: 'float', value: wrong(Number(value.value)) };
    case 'list':
    case 'tuple':
    case 'set':
      return { ...value, items: value.items.map((item) => spoiled(item, wrong)) };
    case 'dict':
      return { ...value, entries: value.entries.map(([key, item]) => [key, spoiled(item, wrong)]) };
    case 'none':
    case 'ellipsis':
    case 'bool':
    case 'complex':
    case 'str':
    case 'bytes':
    case undefined:
      return text(nonsense);
  }
}

/** The words of a gold that a source would hold as they are: not numbers, truth values or whole sentences. */
export function literalTexts({
  eval_func: name,
  eval_kwargs: options,
}: Evaluator): readonly string[] {
  if (!functionsOfGold.has(name) && name !== 'eval_element_included') return [];
  return leavesOf(options['gold']).filter(
    (leaf) =>
      /\p{L}{4}/u.test(leaf) &&
      leaf.split(/\s+/).length <= mostWords &&
      !/^(?:true|false|none)$/i.test(leaf),
  );
}

/** A longer gold is somebody's own sentence. */
const mostWords = 12;

const leavesOf = (gold: unknown): readonly string[] =>
  typeof gold === 'string'
    ? [gold]
    : typeof gold === 'object' && gold !== null
      ? Object.values(gold).flatMap(leavesOf)
      : [];
