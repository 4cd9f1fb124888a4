import { describe, expect, it } from 'vitest';
import {
  add,
  covers,
  isZero,
  subtract,
  noAmount,
  sum,
  type Amount,
} from '../../../domain/budget/amount.js';
import { costOfCall } from '../../../domain/models/usage.js';
import fc from '../../support/arbitrary/fast-check.js';

/** Of calls of a model whose prices have three decimals, as providers state them. */
const amounts = fc.array(
  fc
    .record({
      input: fc.nat(20_000),
      output: fc.nat(80_000),
      prompt: fc.nat(1e6),
      said: fc.nat(1e5),
    })
    .map(({ input, output, prompt, said }): Amount => {
      const tokens = { prompt, completion: said, cached: 0 };
      const price = { input: input / 1000, output: output / 1000 };
      return { usd: costOfCall(tokens, price) ?? 0, tokens: prompt + said };
    }),
  { minLength: 1, maxLength: 100 },
);

describe('amounts', () => {
  it('come to the same in whatever order they are added', () => {
    fc.assert(
      fc.property(amounts, (some) => {
        expect(sum(some.toReversed())).toEqual(sum(some));
      }),
    );
  });

  it('leave nothing when all that was added is taken away', () => {
    fc.assert(
      fc.property(amounts, (some) => {
        expect(isZero(some.reduce(subtract, sum(some)))).toBe(true);
      }),
    );
  });

  it('cover exactly what they come to, and nothing more', () => {
    fc.assert(
      fc.property(amounts, (some) => {
        const all = sum(some);
        expect(covers(all, add(all, noAmount))).toBe(true);
        expect(covers(all, add(all, { usd: 1e-9, tokens: 0 }))).toBe(false);
      }),
    );
  });

  it('are not those of binary fractions', () => {
    const [tenth, fifth] = [0.1, 0.2].map((usd) => ({ usd, tokens: 0 }));
    expect(add(tenth ?? noAmount, fifth ?? noAmount).usd).toBe(0.3);
  });
});
