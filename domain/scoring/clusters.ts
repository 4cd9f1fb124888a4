import { grouped } from '../formats/text.js';
import type { Range } from '../statistics/intervals.js';
import { groupsOf } from '../statistics/means.js';
import { rangeOf, type Scale } from './scale.js';

/** What questions have in common, so that their scores are correlated. */
const clusterUnits = ['paper', 'database', 'question'] as const;

/** The questions about one paper or one database, or the epochs of one question about neither. */
export interface Cluster {
  readonly unit: (typeof clusterUnits)[number];
  readonly id: string;
}

interface Clustered {
  readonly uuid: string;
  readonly anchor_pdf?: readonly string[];
  readonly database?: unknown;
}

/** The cluster of a question in every statistic: by its first paper, else by its database, else the question alone. */
export function clusterOf({ uuid, anchor_pdf = [], database }: Clustered): Cluster {
  const [paper] = anchor_pdf;
  if (paper !== undefined) return { unit: 'paper', id: paper };
  return database === undefined
    ? { unit: 'question', id: uuid }
    : { unit: 'database', id: JSON.stringify(database) };
}

export interface ClusteredScore {
  readonly score: number;
  readonly cluster: Cluster;
}

/** The scores of each cluster. */
export const clustersOf = (scores: readonly ClusteredScore[]): readonly (readonly number[])[] =>
  [...groupsOf(scores, ({ cluster }) => `${cluster.unit} ${cluster.id}`).values()].map((own) =>
    own.map(({ score }) => score),
  );

/** What the clusters of scores are, in the plural: `papers`, or `papers or questions` if there are several kinds. */
export function unitsOf(scores: readonly Pick<ClusteredScore, 'cluster'>[]): string {
  const found = new Set(scores.map(({ cluster }) => cluster.unit));
  return clusterUnits
    .filter((unit) => found.has(unit))
    .map((unit) => `${unit}s`)
    .join(' or ');
}

/** `12 papers`, `1 question`, `7 papers or questions`. @param units - as `unitsOf` names them */
export const clustersText = (count: number, units: string): string =>
  `${grouped(count)} ${count === 1 ? units.replaceAll(/s(?= |$)/g, '') : units}`;

/** The differences that scores of a scale can have. */
export function differenceRange(scale: Scale): Range {
  const { least, most } = rangeOf[scale];
  return { least: least - most, most: most - least };
}
