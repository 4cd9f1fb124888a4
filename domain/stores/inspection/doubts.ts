import type { ItemKind, PaperItem, ShownPaper } from './shown-paper.js';

/** A sign that something was not found, or not whole. */
export type Doubt =
  | { readonly kind: 'page-unusable'; readonly page: number; readonly reason: string }
  /** Numbers that others of the kind lie around. */
  | { readonly kind: 'numbers-missing'; readonly of: ItemKind; readonly numbers: readonly string[] }
  /** Two items of the kind have one number. */
  | { readonly kind: 'number-twice'; readonly of: ItemKind; readonly numbers: readonly string[] }
  /** Items without a part that most items of their kind have. */
  | {
      readonly kind: 'part-missing';
      readonly of: ItemKind;
      readonly part: string;
      readonly items: readonly PaperItem[];
    };

/** What an item should have. */
const expectedParts: readonly (readonly [ItemKind, string])[] = [
  ['front', 'title'],
  ['front', 'authors'],
  ['front', 'abstract'],
  ['table', 'caption'],
  ['figure', 'caption'],
  ['reference', 'authors'],
  ['reference', 'year'],
  ['reference', 'title'],
];

export function doubtsOf({ pages, items }: ShownPaper): readonly Doubt[] {
  return [
    ...pages.flatMap(({ unusable }, index): readonly Doubt[] =>
      unusable === null ? [] : [{ kind: 'page-unusable', page: index + 1, reason: unusable }],
    ),
    ...(['section', 'table', 'figure', 'equation', 'reference'] as const).flatMap((of) =>
      numberDoubts(
        of,
        items.filter(({ kind }) => kind === of),
      ),
    ),
    ...expectedParts.flatMap(([of, part]): readonly Doubt[] => {
      const lacking = items.filter(
        ({ kind, parts }) => kind === of && !parts.some(({ name }) => name === part),
      );
      return lacking.length === 0 ? [] : [{ kind: 'part-missing', of, part, items: lacking }];
    }),
  ];
}

/** Gaps longer than this are those between the numbers of chapters or years rather than items that were missed. */
const longestGap = 20;

function numberDoubts(of: ItemKind, items: readonly PaperItem[]): readonly Doubt[] {
  const printed = items.flatMap(({ number }) => number ?? []);
  const missing = missingNumbers(printed);
  // A table that goes on over pages keeps its number.
  const twice =
    of === 'table' ? [] : printed.filter((each, index) => printed.indexOf(each) < index);
  return [
    ...(missing.length === 0 ? [] : [{ kind: 'numbers-missing', of, numbers: missing } as const]),
    ...(twice.length === 0
      ? []
      : [{ kind: 'number-twice', of, numbers: [...new Set(twice)] } as const]),
  ];
}

/** The numbers between 1 and the highest that are not there; `2.3` is counted among those that begin with `2.`. */
function missingNumbers(printed: readonly string[]): readonly string[] {
  const series = new Map<string, Set<number>>();
  for (const number of printed) {
    const [, before = '', last = ''] = /^((?:[A-Z]?\d*\.)*)(\d+)\.?$/.exec(number) ?? [];
    if (last === '') continue;
    series.set(before, (series.get(before) ?? new Set()).add(Number(last)));
  }
  return [...series].flatMap(([before, numbers]) => {
    const sorted = [0, ...numbers].sort((a, b) => a - b);
    return sorted.slice(1).flatMap((number, index) => {
      const from = sorted[index] ?? 0;
      if (number - from > longestGap) return [];
      return Array.from(
        { length: Math.max(0, number - from - 1) },
        (_, step) => `${before}${from + 1 + step}`,
      );
    });
  });
}
