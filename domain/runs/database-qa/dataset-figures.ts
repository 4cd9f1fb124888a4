import type { Category, DatasetItem } from '../../scoring/dataset-item.js';
import { mean, median, sum } from '../../statistics/means.js';
import { byCategory } from './agent-figures.js';
import { wordsIn } from './answer-record.js';

/** A dataset of questions about databases (paper, Table 1). Null where nothing is known. */
export interface DatasetFigures extends Readonly<Record<Category, number>> {
  /** Questions. */
  readonly size: number;
  readonly withoutCategory: number;
  /** Mean words of the gold answers. */
  readonly referenceWords: Readonly<Record<Category, number | null>>;
  /** Distinct databases with a known description. The medians are over these. */
  readonly databases: number;
  readonly tables: number | null;
  /** The paper does not say whether it counts these by table or by database. */
  readonly columns: Medians;
  readonly records: Medians;
}

interface Medians {
  readonly perTable: number | null;
  readonly perDatabase: number | null;
}

interface Table {
  /** Null if unknown. */
  readonly rows: number | null;
  readonly columns: readonly unknown[];
}

export function datasetFigures(
  items: readonly Pick<DatasetItem, 'category' | 'referenceAnswer'>[],
  databases: readonly { readonly tables: readonly Table[] }[],
): DatasetFigures {
  const counts = byCategory(
    (category) => items.filter((item) => item.category === category).length,
  );
  const medians = (countOf: (table: Table) => number | null): Medians => {
    const counts = databases.map(({ tables }) => tables.flatMap((table) => countOf(table) ?? []));
    return {
      perTable: medianOf(counts.flat()),
      perDatabase: medianOf(counts.filter(({ length }) => length > 0).map(sum)),
    };
  };
  return {
    size: items.length,
    ...counts,
    withoutCategory: items.length - counts.conclusive - counts.interpretive,
    referenceWords: byCategory((category) => {
      const lengths = items.flatMap((item) =>
        item.category === category && item.referenceAnswer !== undefined
          ? [wordsIn({ text: item.referenceAnswer })]
          : [],
      );
      return lengths.length === 0 ? null : mean(lengths);
    }),
    databases: databases.length,
    tables: medianOf(databases.map(({ tables }) => tables.length)),
    columns: medians(({ columns }) => columns.length),
    records: medians(({ rows }) => rows),
  };
}

const medianOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : median(values);
