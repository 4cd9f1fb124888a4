import { markdownTable } from './markdown-table.js';

/** A figure, and what it is to be. */
export interface Ratio {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
  readonly isToBe: 'at most' | 'at least';
}

const isMet = ({ value, limit, isToBe }: Ratio): boolean =>
  isToBe === 'at most' ? value <= limit : value >= limit;

export const problemsOf = (ratios: readonly Ratio[]): readonly string[] =>
  ratios
    .filter((ratio) => !isMet(ratio))
    .map(
      ({ name, value, isToBe, limit }) =>
        `${name}: ${shown(value)}, which is to be ${isToBe} ${limit}`,
    );

const shown = (value: number): string => (value < 100 ? value.toFixed(2) : value.toFixed(0));

export const ratioTable = (ratios: readonly Ratio[]): string =>
  markdownTable(
    ['', 'measured', 'to be'],
    ratios.map((ratio) => [
      ratio.name,
      shown(ratio.value),
      `${ratio.isToBe === 'at most' ? '≤' : '≥'} ${ratio.limit}`,
    ]),
  );
