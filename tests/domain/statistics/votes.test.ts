import { describe, expect, it } from 'vitest';
import { mean, sum } from '../../../domain/statistics/means.js';
import {
  effectiveVotes,
  majorityByChance,
  poissonBinomial,
  unanimityByChance,
} from '../../../domain/statistics/votes.js';

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
