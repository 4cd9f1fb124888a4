import { headlineOf, type Headline } from './headline.js';
import type { GoldItem, ScoredSample } from './scored-sample.js';

export interface GroupScore extends Headline {
  readonly group: string;
}

/** Stands for items that do not have the field. */
const noValue = '(none)';

/**
 * Samples by the value of a field of their items, dots leading into it. A sample with a list belongs to the group of each
 * member, so that groups may overlap and do not add up. In order of first appearance.
 */
export function groupScores(
  samples: readonly ScoredSample[],
  field: string,
): readonly GroupScore[] {
  const groups = new Map<string, ScoredSample[]>();
  for (const sample of samples) {
    for (const group of fieldValues(sample.item, field)) {
      const known = groups.get(group);
      if (known) known.push(sample);
      else groups.set(group, [sample]);
    }
  }
  return [...groups].map(([group, members]) => ({ group, ...headlineOf(members) }));
}

/** The values of an item's field, each once, as texts. */
export function fieldValues(item: GoldItem, field: string): readonly string[] {
  const value = field
    .split('.')
    .reduce<unknown>(
      (inner, key) =>
        typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
          ? (inner as Readonly<Record<string, unknown>>)[key]
          : undefined,
      item,
    );
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.length === 0 ? [noValue] : [...new Set(values.map(textOf))];
}

function textOf(value: unknown): string {
  if (value === undefined || value === null || value === '') return noValue;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
