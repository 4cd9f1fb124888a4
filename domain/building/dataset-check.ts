import { exactJson } from '../formats/json.js';
import type { DatasetLines } from '../runs/dataset.js';
import { literalTexts, scorerFaults } from '../scoring/check-scorer.js';
import {
  goldFaults,
  goldToCheck,
  type DatasetCheck,
  type Fault,
} from '../scoring/execution-match/check-gold.js';
import { evaluatorOf, type DatasetItem } from '../scoring/dataset-item.js';
import type { ExecutionDone } from '../scoring/execution-match/execution.js';
import { ownScorerOf } from '../scoring/own-scorer.js';
import { type DatabaseTable } from '../stores/database.js';
import { sqlName } from '../stores/database-schema.js';
import { paperIds, type PapersByName } from '../stores/papers-named.js';
import { groupsOf } from '../statistics/means.js';
import { nearDuplicates } from './dataset-summary.js';

/** A line of a dataset and what was found wrong with it. */
export interface CheckedLine {
  readonly line: number;
  /** Null where the line is no item. */
  readonly uuid: string | null;
  readonly faults: readonly Fault[];
}

/** What of a dataset only its databases and its store can tell. */
export interface DatasetFacts {
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
