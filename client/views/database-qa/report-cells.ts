import type { Agent } from '../../../domain/runs/database-qa/answer-record.js';
import { categories, type Category } from '../../../domain/scoring/dataset-item.js';
import type { Interval } from '../../../domain/statistics/means.js';
import { section, type Cell, type Section, type Table } from '../sections/section.js';

/** A section of one table. */
export const tableSection = ({
  id,
  title,
  ...table
}: Omit<Table, 'caption'> & Pick<Section, 'id' | 'title'>): Section =>
  section(id, title, { tables: [{ caption: title, ...table }] });

export const nothing = '–';

/** `0.24` or `−0.24`; a dash for null. */
export const decimal = (value: number | null | undefined, digits = 2): string =>
  value?.toFixed(digits).replace('-', '−') ?? nothing;

/** `0.06–0.79`, `−0.06 to 0.79`; empty without an interval. */
export const rangeText = (interval: Interval | null, digits = 2): string =>
  interval === null
    ? ''
    : `${decimal(interval.low, digits)}${interval.low < 0 ? ' to ' : '–'}${decimal(interval.high, digits)}`;

/** `0.24 / 2.21`: conclusive and interpretive, as the paper writes every pair. */
export const pairText = (of: (category: Category) => string): string =>
  categories.map(of).join(' / ');

export function agentCells({ run, model, method, judgesItself }: Agent): readonly Cell[] {
  const name = judgesItself ? `${model} ${ownMark}` : model;
  return [run === null ? name : { text: name, under: run }, method];
}

/** The caption of published rows. */
export const publishedIn = (of: { readonly source: string }): string => `published, ${of.source}`;

export const publishedPair = (values: readonly number[], digits: number): string =>
  values.map((value) => value.toFixed(digits)).join(' / ');

/** `a-run (a-model, sequential)`. */
export const agentName = ({ run, model, method }: Agent): string =>
  run === null ? `${model}, ${method}` : `${run} (${model}, ${method})`;

/** Beside an agent whose own model judges or reviews its answers. */
export const ownMark = '†';
export const ownNote = `${ownMark} The agent’s own model judges or reviews its answers: models tend to prefer their own.`;
