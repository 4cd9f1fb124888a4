import { exactJson, type ExactJson } from '../formats/json.js';
import { str, pythonFromJson, type PythonValue } from '../formats/python/value.js';
import { preview } from '../formats/text.js';
import type { DatasetLines } from '../runs/dataset.js';
import {
  evaluatorOf,
  innerEvaluators,
  type DatasetItem,
  type Evaluator,
} from '../scoring/dataset-item.js';
import {
  goldFaults,
  goldToCheck,
  type DatasetCheck,
  type Fault,
} from '../scoring/execution-match/check-gold.js';
import type { ExecutionDone } from '../scoring/execution-match/execution.js';
import { executionMatch } from '../scoring/execution-match/execution-options.js';
import { ownScorerOf } from '../scoring/own-scorer.js';
import { judgeValue } from '../scoring/score-answer.js';
import { groupsOf } from '../statistics/means.js';
import { type DatabaseTable } from '../stores/database.js';
import { sqlName } from '../stores/database-schema.js';
import { paperIds, type PapersByName } from '../stores/papers-named.js';
import { nearDuplicates } from './dataset-summary.js';

/** A line of a dataset and what was found wrong with it. */
export interface CheckedLine {
  readonly line: number;
  /** Null where the line is no item. */
  readonly uuid: string | null;
  readonly faults: readonly Fault[];
}

/** What of a dataset only its databases and its store can tell. */
interface DatasetFacts {
  /** What the statements of `goldToCheck` returned, or why the database cannot be read, by the uuid. */
  readonly executions: ReadonlyMap<string, ExecutionDone>;
  /** Those of the store; null without one. */
  readonly papers: PapersByName | null;
  /** Of the texts that `soughtTexts` names, those that the store lacks. */
  readonly absent: ReadonlySet<string>;
}

/** Every line of a dataset, in order. */
export function checkDataset(
  { items, problems, warnings }: DatasetLines,
  facts: DatasetFacts,
): readonly CheckedLine[] {
  const isScored = items.some(({ item }) => evaluatorOf(item) !== undefined);
  const copies = copiesIn(items.map(({ item }) => item));
  const itemOf = new Map(items.map(({ line, item }) => [line, item]));
  const told = groupsOf(
    [...problems, ...warnings].filter(({ isStrict }) => !isStrict),
    ({ line }) => line,
  );
  return [...new Set([...told.keys(), ...itemOf.keys()])]
    .sort((a, b) => a - b)
    .map((line): CheckedLine => {
      const [item, own] = [itemOf.get(line), told.get(line) ?? []];
      const faults = own.map(({ message }) => fault('item', message));
      if (item === undefined) return { line, uuid: own[0]?.uuid ?? null, faults };
      const { uuid } = item;
      const copied = copies.get(uuid);
      if (own.length === 0) faults.push(...scorerFaultsOf(item, isScored));
      faults.push(...factFaults(item, facts));
      if (copied !== undefined)
        faults.push(fault('near-duplicate', `it asks the same as ${copied}`));
      return { line, uuid, faults };
    });
}

const fault = (check: DatasetCheck, reason: string): Fault => ({ check, reason });

function scorerFaultsOf(item: DatasetItem, isScored: boolean): readonly Fault[] {
  const evaluator = evaluatorOf(item);
  if (evaluator !== undefined)
    return ownScorerOf(evaluator) === null ? scorerFaults(evaluator) : [];
  if (item.referenceAnswer !== undefined) return [fault('empty-gold', 'referenceAnswer is empty')];
  return isScored ? [fault('no-scorer', 'it has neither evaluator nor reference answer')] : [];
}

function factFaults(item: DatasetItem, facts: DatasetFacts): readonly Fault[] {
  const gold = goldToCheck(item.evaluator);
  const done = facts.executions.get(item.uuid);
  const anchors = facts.papers && paperIds(facts.papers, item.anchor_pdf);
  const texts = soughtTexts(item).filter((text) => facts.absent.has(normalText(text)));
  return [
    ...(gold && done && 'execution' in done ? goldFaults(gold, done.execution) : []),
    ...(done && 'separation' in done && done.separation?.kind === 'luck'
      ? [fault('gold-unstable', `a NULL in what its NOT IN or ALL reads takes rows away`)]
      : []),
    ...(done && 'failure' in done ? [fault('gold-fails', done.failure)] : []),
    ...(anchors?.missing.length
      ? [fault('anchor-missing', `the store lacks ${anchors.missing.join(', ')}`)]
      : []),
    ...(anchors?.ambiguous ?? []).map((reason) => fault('anchor-missing', reason)),
    ...(texts[0] === undefined
      ? []
      : [fault('gold-absent', `the store nowhere has ${JSON.stringify(texts[0])}`)]),
  ];
}

/** The questions that repeat an earlier one, by the uuid, with its uuid: the same words, or nearly and with the same gold. */
function copiesIn(items: readonly DatasetItem[]): ReadonlyMap<string, string> {
  const itemOf = new Map<string, DatasetItem>(items.map((item) => [item.uuid, item]));
  const pairs = nearDuplicates(items.map(({ uuid, question }) => ({ id: uuid, question })));
  return new Map(
    pairs.flatMap(({ a, b, similarity }) => {
      const [first, second] = [itemOf.get(a), itemOf.get(b)];
      if (!first || !second || subjectOf(first) !== subjectOf(second)) return [];
      return similarity === 1 || goldOf(first) === goldOf(second) ? [[b, a]] : [];
    }),
  );
}

/** Questions about other papers, other data or other numbers are others, whatever their words. */
const subjectOf = ({ anchor_pdf, database, question }: DatasetItem): string =>
  JSON.stringify([anchor_pdf.toSorted(), database, question.match(/\d+/g)]);

const goldOf = ({ evaluator, referenceAnswer }: DatasetItem): string =>
  exactJson([evaluator?.eval_func, { ...evaluator?.eval_kwargs, question: null }, referenceAnswer]);

/** The texts of an item's gold that the store should hold. */
export const soughtTexts = ({ evaluator }: DatasetItem): readonly string[] =>
  evaluator === undefined ? [] : literalTexts(evaluator);

/** Letters and digits alone, as `absentTextsSql` compares them. */
export const normalText = (text: string): string =>
  text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** A query whose rows are those of the normal texts that are in no table. Null without tables of texts. */
export function absentTextsSql(
  tables: readonly Pick<DatabaseTable, 'name' | 'columns'>[],
  texts: readonly string[],
): string | null {
  const held = tables.flatMap(({ name, columns }) => {
    const own = columns.filter(({ type }) => /^(?:VARCHAR|JSON)/.test(type));
    const list = own.map((column) => `CAST(${sqlName(column.name)} AS VARCHAR)`).join(', ');
    return own.length === 0
      ? []
      : [`SELECT concat_ws(' ', ${list}) AS words FROM ${sqlName(name)}`];
  });
  if (held.length === 0) return null;
  const sought = texts.map((text) => `('${text}')`).join(', ');
  return `WITH held AS MATERIALIZED (SELECT regexp_replace(lower(words), '[^\\p{L}\\p{N}]+', '', 'g') AS normal
    FROM (${held.join(' UNION ALL ')})) SELECT sought FROM (VALUES ${sought}) AS t(sought)
    WHERE NOT EXISTS (SELECT 1 FROM held WHERE contains(normal, sought))`;
}

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
function scorerFaults(evaluator: Evaluator): readonly Fault[] {
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
function literalTexts({ eval_func: name, eval_kwargs: options }: Evaluator): readonly string[] {
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
