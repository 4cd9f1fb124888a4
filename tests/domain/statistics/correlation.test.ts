import { describe, expect, it } from 'vitest';
import {
  correlationOf,
  pearson,
  spearman,
  effectiveVotes,
  majorityByChance,
  poissonBinomial,
  unanimityByChance,
} from '../../../domain/statistics/correlation.js';
import { mean, sum } from '../../../domain/statistics/means.js';

const zip = (xs: readonly number[], ys: readonly number[]) =>
  xs.map((x, at) => [x, ys[at] ?? NaN] as const);

describe('correlations', () => {
  it.each([
    ['a line', [1, 2, 3, 4], [3, 5, 7, 9], 1],
    ['a falling line', [1, 2, 3], [3, 2, 1], -1],
    // By hand: sum of products 3, sums of squares 5 and 5.
    ['four points', [1, 2, 3, 4], [2, 1, 4, 3], 3 / 5],
    ['no variation', [0.1, 0.1, 0.1], [1, 2, 3], null],
    ['nothing', [], [], null],
  ])('follow Pearson for %s', (_, xs, ys, expected) => {
    const value = pearson(zip(xs, ys));
    if (expected === null) expect(value).toBeNull();
    else expect(value).toBeCloseTo(expected, 12);
  });

  it('are phi for two variables of 0 and 1', () => {
    // Cells of the table of two members: 3 both, 1 and 2 one only, 4 neither.
    const pairs = [
      ...Array.from({ length: 3 }, () => [1, 1] as const),
      [1, 0] as const,
      ...Array.from({ length: 2 }, () => [0, 1] as const),
      ...Array.from({ length: 4 }, () => [0, 0] as const),
    ];
    expect(pearson(pairs)).toBeCloseTo((3 * 4 - 1 * 2) / Math.sqrt(4 * 6 * 5 * 5), 12);
  });

  it.each([
    // Without ties 1 − 6 Σd² / (n (n² − 1)); the differences of ranks are 1, 1, 0, 1, 1.
    ['distinct values', [10, 20, 30, 40, 50], [2, 1, 3, 6, 4], 0.8],
    ['any rising curve', [1, 2, 3, 4], [1, 8, 27, 64], 1],
    // Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: 4.5 / √(4.5 · 5).
    ['ties, which share their ranks', [1, 2, 2, 3], [1, 2, 3, 4], 4.5 / Math.sqrt(4.5 * 5)],
  ])('follow Spearman for %s', (_, xs, ys, expected) => {
    expect(spearman(zip(xs, ys))).toBeCloseTo(expected, 12);
  });

  it('have an interval by Fisher, wider for ranks and with fewer independent pairs', () => {
    const pairs = zip([1, 2, 3, 4, 5, 6, 7], [2, 1, 4, 3, 7, 5, 6]);
    const value = pearson(pairs) ?? NaN;
    const half = 1.959964 / Math.sqrt(4);
    const found = correlationOf('point-biserial', pairs);
    expect(found?.value).toBeCloseTo(value, 12);
    expect(found?.interval?.low).toBeCloseTo(Math.tanh(Math.atanh(value) - half), 6);
    expect(found?.interval?.high).toBeCloseTo(Math.tanh(Math.atanh(value) + half), 6);
    const ranked = correlationOf('spearman', pairs)?.interval;
    expect(ranked?.low).toBeLessThan(found?.interval?.low ?? NaN);
    expect(correlationOf('spearman', pairs, 5)?.interval?.low).toBeLessThan(ranked?.low ?? NaN);
  });

  it.each([
    ['three pairs', zip([1, 2, 3], [1, 3, 2])],
    ['a perfect correlation', zip([1, 2, 3, 4, 5], [1, 2, 3, 4, 5])],
  ])('have no interval for %s', (_, pairs) => {
    expect(correlationOf('spearman', pairs)?.interval).toBeNull();
  });

  it('are null where nothing varies', () => {
    expect(correlationOf('spearman', zip([1, 2], [1, 1]))).toBeNull();
  });
});

/** Every way in which members can decide, with its chance. */
const allDecisions = (rates: readonly number[]) =>
  Array.from({ length: 2 ** rates.length }, (_, way) => {
    const decisions = rates.map((_rate, member) => ((way >> member) & 1) === 1);
    const chance = rates.reduce(
      (product, rate, member) => product * (decisions[member] ? rate : 1 - rate),
      1,
    );
    return { votes: decisions.filter(Boolean).length, chance };
  });

const chanceThat = (rates: readonly number[], holds: (votes: number) => boolean): number =>
  sum(allDecisions(rates).flatMap(({ votes, chance }) => (holds(votes) ? [chance] : [])));

describe('independent members', () => {
  it.each([[[0.5]], [[0.2, 0.9, 0.4]], [[0, 1, 0.3]], [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]]])(
    'with rates %j decide as the enumeration of all their decisions says',
    (rates) => {
      const n = rates.length;
      const chances = poissonBinomial(rates);
      expect(chances).toHaveLength(n + 1);
      chances.forEach((chance, votes) => {
        expect(chance).toBeCloseTo(
          chanceThat(rates, (each) => each === votes),
          12,
        );
      });
      expect(majorityByChance(rates)).toBeCloseTo(
        chanceThat(rates, (votes) => votes > n / 2),
        12,
      );
      expect(unanimityByChance(rates)).toBeCloseTo(
        chanceThat(rates, (votes) => votes === 0 || votes === n),
        12,
      );
    },
  );

  it('have no outcome where an even number of them is tied', () => {
    const rates = [0.3, 0.8];
    const favour = 0.3 * 0.8;
    expect(majorityByChance(rates)).toBeCloseTo(favour / (favour + 0.7 * 0.2), 12);
    expect(majorityByChance([0, 1])).toBeNull();
  });
});

describe('effective votes', () => {
  const names = ['a', 'b', 'c'];
  const rows = (...columns: readonly (readonly number[])[]): boolean[][] =>
    (columns[0] ?? []).map((_, row) => columns.map((column) => column[row] === 1));

  it('are one for members who always agree, and all for members without correlation', () => {
    const same = [1, 0, 1, 0];
    expect(effectiveVotes(names, rows(same, same, same))).toMatchObject({
      members: 3,
      correlation: 1,
      votes: 1,
    });
    const uncorrelated = rows([1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]);
    expect(effectiveVotes(names, uncorrelated)).toMatchObject({ correlation: 0, votes: 3 });
  });

  it('follow the mean phi of all pairs, from the tables of each pair', () => {
    const columns = [
      [1, 1, 1, 0, 0, 0, 1, 0, 1, 1],
      [1, 0, 1, 0, 0, 1, 1, 0, 1, 1],
      [0, 1, 1, 0, 1, 0, 1, 0, 1, 0],
    ];
    const phi = (a: readonly number[], b: readonly number[]): number => {
      const count = (x: number, y: number): number =>
        a.filter((value, row) => value === x && b[row] === y).length;
      const [both, first, second, none] = [count(1, 1), count(1, 0), count(0, 1), count(0, 0)];
      return (
        (both * none - first * second) /
        Math.sqrt((both + first) * (second + none) * (both + second) * (first + none))
      );
    };
    const [a = [], b = [], c = []] = columns;
    const r = mean([phi(a, b), phi(a, c), phi(b, c)]);
    const found = effectiveVotes(names, rows(...columns));
    expect(found?.correlation).toBeCloseTo(r, 12);
    expect(found?.votes).toBeCloseTo(3 / (1 + 2 * r), 12);
  });

  it('count a negative correlation as none', () => {
    expect(effectiveVotes(['a', 'b'], rows([1, 0, 1], [0, 1, 0]))).toMatchObject({
      correlation: 0,
      votes: 2,
    });
  });

  it('name the members who always decide alike and leave them out', () => {
    const found = effectiveVotes(names, rows([1, 0, 1], [1, 1, 1], [1, 0, 1]));
    expect(found).toEqual({ members: 2, correlation: 1, votes: 1, leftOut: ['b'] });
    expect(effectiveVotes(names, rows([1, 0], [1, 1], [0, 0]))).toMatchObject({
      members: 1,
      correlation: null,
      votes: 1,
      leftOut: ['b', 'c'],
    });
    expect(effectiveVotes(names, rows([1, 1], [1, 1], [0, 0]))).toEqual({
      members: 0,
      correlation: null,
      votes: null,
      leftOut: names,
    });
    expect(effectiveVotes(names, [])).toBeNull();
  });
});
