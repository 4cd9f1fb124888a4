import type { Category } from '../scoring/dataset-item.js';
import { cohensKappa, kappaInterval } from '../statistics/agreement.js';
import type { Interval } from '../statistics/means.js';
import { seedOfItem, type Build, type Texts } from './build.js';
import { labelOf } from './decide.js';
import { gates, itemStates, latest, type Decided, type GateName, type Item } from './item.js';
import { scratchTables } from './scratch-tables.js';

/** How many items are in which state. Those that have not begun are `drafting`. */
export function countStates(
  items: readonly Item[],
  seeds: number,
): Readonly<Record<Item['state'], number>> {
  const count = (state: Item['state']): number =>
    items.filter((item) => item.state === state).length +
    (state === 'drafting' ? seeds - items.length : 0);
  return Object.fromEntries(itemStates.map((state) => [state, count(state)])) as Record<
    Item['state'],
    number
  >; // Every state is a key.
}

/** Agreement of two annotators who decided apart. */
export interface Agreement {
  /** A gate, or the category of accepted answers. */
  readonly about: GateName | 'category';
  /** Items that both have decided about. */
  readonly items: number;
  readonly agreed: number;
  /** Null where it is undefined. */
  readonly kappa: number | null;
  readonly interval: Interval | null;
}

/**
 * Agreement beyond chance at each gate, and about the category. Of each item and gate the first two decisions count, before any
 * edit; the two people are put in the order of their names, so that with two annotators the kappa is Cohen's.
 */
export function annotatorAgreement(items: readonly Item[]): readonly Agreement[] {
  const pairsAt = (gate: GateName): readonly (readonly [Decided, Decided])[] =>
    items.flatMap(({ decisions }) => {
      const made = decisions.filter((each) => each.gate === gate && each.role === 'annotator');
      const [first] = made;
      const second = made.find((each) => each.seen === first?.seen && each.by !== first.by);
      if (first === undefined || second === undefined) return [];
      return [first.by < second.by ? ([first, second] as const) : ([second, first] as const)];
    });
  const agreementOf = (
    about: Agreement['about'],
    pairs: readonly (readonly [string, string])[],
  ): readonly Agreement[] =>
    pairs.length === 0
      ? []
      : [
          {
            about,
            items: pairs.length,
            agreed: pairs.filter(([a, b]) => a === b).length,
            kappa: cohensKappa(pairs),
            interval: kappaInterval(pairs),
          },
        ];
  return [
    ...gates.flatMap((gate) =>
      agreementOf(
        gate,
        pairsAt(gate).map(([a, b]) => [kindOf(a), kindOf(b)]),
      ),
    ),
    ...agreementOf(
      'category',
      pairsAt('answer').flatMap(([a, b]) =>
        a.choice.kind === 'accept' && b.choice.kind === 'accept'
          ? [[labelOf(a), labelOf(b)] as const]
          : [],
      ),
    ),
  ];
}

/** Whether to accept, whatever the category. */
const kindOf = ({ choice }: Decided): string => choice.kind;

/** The label of an item; undefined where it has none. */
export const categoryOf = (item: Item): Category | undefined =>
  latest(item, 'category')?.preview as Category | undefined; // The workflow writes no other.

/** A line of a finished dataset, in the shape that `turnwise run` reads. */
export function datasetLine(
  build: Build,
  item: Item,
  texts: Texts,
): Readonly<Record<string, unknown>> {
  const { seed, database } = seedOfItem(build, item.id);
  const { creates } = scratchTables(database);
  return {
    uuid: item.id,
    question: texts.question?.text ?? '',
    database: {
      ddl: creates.map(({ sql }) => sql).join('\n\n'),
      rows: texts.rows?.text ?? '',
    },
    category: categoryOf(item),
    referenceAnswer: texts.answer?.text ?? '',
    goldQueries: (texts.queries?.results ?? []).map(({ sql }) => ({ sql })),
    seedQuestion: seed.question,
    ...(seed.source !== null && { source: seed.source }),
    ...(seed.licence !== null && { licence: seed.licence }),
    provenance: {
      dataset: build.dataset,
      schema: database.name,
      versions: item.versions.map(({ version, part, at, by }) => ({ version, part, at, by })),
      decisions: item.decisions,
    },
  };
}

/** Two questions that say nearly the same. */
export interface NearDuplicate {
  readonly a: string;
  readonly b: string;
  /** The share of their word pairs that they have in common, from 0 to 1. */
  readonly similarity: number;
}

/** Questions below this have different subjects, or the same one asked differently. */
const nearDuplicateFrom = 0.6;

/**
 * The pairs of questions that have many word pairs in common, the most similar first. A word pair is two words
 * that follow each other, whatever their case.
 */
export function nearDuplicates(
  questions: readonly { readonly id: string; readonly question: string }[],
): readonly NearDuplicate[] {
  const shingles = questions.map(({ question }) => wordPairs(question));
  const holders = new Map<string, number[]>();
  const found: NearDuplicate[] = [];
  for (const [place, own] of shingles.entries()) {
    const shared = new Map<number, number>();
    for (const pair of own) {
      const others = holders.get(pair) ?? [];
      for (const other of others) shared.set(other, (shared.get(other) ?? 0) + 1);
      others.push(place);
      holders.set(pair, others);
    }
    for (const [other, count] of shared) {
      const similarity = count / (own.size + (shingles[other]?.size ?? 0) - count);
      if (similarity < nearDuplicateFrom) continue;
      found.push({ a: questions[other]?.id ?? '', b: questions[place]?.id ?? '', similarity });
    }
  }
  return found.sort((x, y) => y.similarity - x.similarity || x.a.localeCompare(y.a, 'en'));
}

function wordPairs(question: string): ReadonlySet<string> {
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(
    words.length < 2 ? words : words.slice(1).map((word, index) => `${words[index] ?? ''} ${word}`),
  );
}
