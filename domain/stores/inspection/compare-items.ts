import { sharedArea } from '../../extraction/page-content.js';
import { itemKinds, type PaperItem } from './shown-paper.js';

/** An item of one or of both of two extractions. */
export type ItemChange =
  | { readonly kind: 'same' | 'changed'; readonly before: PaperItem; readonly after: PaperItem }
  | { readonly kind: 'added'; readonly after: PaperItem }
  | { readonly kind: 'removed'; readonly before: PaperItem };

/** Two items are one where this much of the smaller box lies in the other. */
const sharedShare = 0.5;
/** Two texts are versions of one where this share of their words is in both. */
const sharedWords = 0.6;
/** Boxes in whole points, or with a rule more or less, are the same place. */
const samePlace = 0.8;

/**
 * Pairs the items of two extractions of a paper: equal ones first, then those with one number, then those at one place, then
 * those with similar texts. Each item is in one change.
 */
export function compareItems(
  before: readonly PaperItem[],
  after: readonly PaperItem[],
): readonly ItemChange[] {
  return itemKinds.flatMap((kind) => {
    const old = before.filter((item) => item.kind === kind);
    const pairs = pairUp(
      old,
      after.filter((item) => item.kind === kind),
    );
    const paired = new Set(pairs.values());
    return [
      ...after.flatMap((item): readonly ItemChange[] => {
        if (item.kind !== kind) return [];
        const other = pairs.get(item);
        if (other === undefined) return [{ kind: 'added', after: item }];
        return [{ kind: isSame(other, item) ? 'same' : 'changed', before: other, after: item }];
      }),
      ...old.flatMap((item): readonly ItemChange[] =>
        paired.has(item) ? [] : [{ kind: 'removed', before: item }],
      ),
    ];
  });
}

/** The item before for each item after that has one. */
function pairUp(
  before: readonly PaperItem[],
  after: readonly PaperItem[],
): ReadonlyMap<PaperItem, PaperItem> {
  const pairs = new Map<PaperItem, PaperItem>();
  const free = new Set(before);
  const rules = [isSame, haveOneNumber, stand, readAlike];
  for (const rule of rules) {
    for (const item of after) {
      if (pairs.has(item)) continue;
      const other = [...free].find((candidate) => rule(candidate, item));
      if (other === undefined) continue;
      pairs.set(item, other);
      free.delete(other);
    }
  }
  return pairs;
}

const isSame = (before: PaperItem, after: PaperItem): boolean =>
  contentOf(before) === contentOf(after) &&
  (before.box === null || after.box === null || sharedPart(before, after) >= samePlace);

const contentOf = ({ number, page, level, parts }: PaperItem): string =>
  JSON.stringify([number, page, level, parts.map(({ name, text }) => [name, text])]);

const haveOneNumber = (before: PaperItem, after: PaperItem): boolean =>
  before.kind === 'front' ||
  (before.number !== null && before.number === after.number && before.page === after.page);

const stand = (before: PaperItem, after: PaperItem): boolean =>
  sharedPart(before, after) > sharedShare;

function sharedPart(before: PaperItem, after: PaperItem): number {
  if (before.box === null || after.box === null || before.page !== after.page) return 0;
  const [one, other] = [before.box, after.box].map(([, , width, height]) => width * height);
  return sharedArea(before.box, after.box) / Math.max(1, Math.min(one ?? 0, other ?? 0));
}

function readAlike(before: PaperItem, after: PaperItem): boolean {
  const [one, other] = [wordsOf(before), wordsOf(after)];
  const both = [...one].filter((word) => other.has(word)).length;
  return both > 0 && (2 * both) / (one.size + other.size) >= sharedWords;
}

const wordsOf = ({ parts }: PaperItem): ReadonlySet<string> =>
  new Set(parts.flatMap(({ text }) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []));
