import { describe, expect, it } from 'vitest';
import {
  add,
  covers,
  isZero,
  subtract,
  noAmount,
  sum,
  addBill,
  billsSchema,
  estimatedCost,
  mergeBills,
  noBills,
  reservationOf,
  worstCase,
  type Amount,
  type CallSize,
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

const price = { input: 2, output: 8 };
const call = (text: number, pictures = 0, model = 'm'): CallSize => ({
  kind: 'model',
  model,
  text: { estimated: text, most: 4 * text },
  pictures: { estimated: 1000 * pictures, most: 50_000 * pictures },
  completion: 100,
  price,
});
const graph: CallSize = { kind: 'graph' };
const tokensOf = (size: CallSize, bills = noBills): number => worstCase(size, bills).tokens;

describe('the highest cost of a call', () => {
  it('is the most that its content may be before the first bill', () => {
    expect(tokensOf(call(1000, 2))).toBe(4000 + 100_000 + 100);
    expect(worstCase(call(1000), noBills).usd).toBeCloseTo((4000 * 2 + 100 * 8) / 1e6);
    expect(worstCase({ ...call(1000), price: null } as CallSize, noBills).usd).toBe(0);
  });

  it('rises with the highest ratio that was billed, and never below the estimate', () => {
    let bills = addBill(noBills, call(1000), 1600);
    expect(tokensOf(call(2000), bills)).toBe(3680 + 100);
    bills = addBill(bills, call(1000), 800);
    expect(tokensOf(call(2000), bills)).toBe(3680 + 100);
    expect(tokensOf(call(2000), addBill(noBills, call(1000), 800))).toBe(2300 + 100);
  });

  it('is learned for each model and for pictures apart from text', () => {
    const bills = addBill(addBill(noBills, call(1000), 1000), call(1000, 2), 51_000);
    expect(tokensOf(call(1000, 1), bills)).toBe(1150 + 28_750 + 100);
    expect(tokensOf(call(1000), bills)).toBe(1150 + 100);
    expect(tokensOf(call(1000, 1, 'other'), bills)).toBe(tokensOf(call(1000, 1)));
  });

  it('takes the text beside pictures for the least that it may have been billed', () => {
    const billed = addBill(noBills, call(1000, 1), 3500);
    expect(tokensOf(call(0, 1), billed)).toBe(3450 + 100);
  });

  it('of a graph query is the highest one so far', () => {
    expect(worstCase(graph, addBill(addBill(noBills, graph, 0.2), graph, 0.1)).usd).toBeCloseTo(
      0.23,
    );
  });

  it('is forecast by the estimate', () => {
    expect(estimatedCost(call(1000, 1)).tokens).toBe(2300 + 100);
  });
});

describe('the bills of several workers', () => {
  const a = addBill(addBill(noBills, call(10), 16), call(10, 1), 5000);
  const b = addBill(addBill(noBills, call(10), 8), graph, 0.5);

  it('are merged in any order, any number of times, and cross JSON', () => {
    const merged = mergeBills(a, b);
    expect(mergeBills(b, a)).toEqual(merged);
    expect(mergeBills(merged, a)).toBe(merged);
    expect(merged).toMatchObject({ 'text m': { lowest: 0.8, highest: 1.6 } });
    expect(billsSchema.parse(JSON.parse(JSON.stringify(merged)))).toEqual(merged);
  });
});

describe('what a call reserves', () => {
  const known = addBill(noBills, call(0, 1), 25_000);
  const free = { usd: 1, tokens: 200_000 };

  it.each<[string, CallSize, typeof noBills, boolean, ReturnType<typeof reservationOf>]>([
    [
      'all that is free, if its pictures are unknown',
      call(0, 1),
      noBills,
      true,
      { kind: 'reservable', need: free },
    ],
    ['nothing yet, while such a call is in flight', call(0, 1), noBills, false, { kind: 'waits' }],
    [
      'nothing, if less is free than its pictures may be billed',
      call(0, 5),
      noBills,
      true,
      { kind: 'refused' },
    ],
    [
      'its highest cost, once a bill is known',
      call(0, 1),
      known,
      false,
      { kind: 'reservable', need: worstCase(call(0, 1), known) },
    ],
    [
      'its highest cost, if it has no pictures',
      call(10),
      noBills,
      false,
      { kind: 'reservable', need: worstCase(call(10), noBills) },
    ],
    [
      'all that is free, if it is the first graph query',
      graph,
      noBills,
      true,
      { kind: 'reservable', need: free },
    ],
  ])('is %s', (_, size, bills, mayLearn, expected) => {
    expect(reservationOf(size, bills, { free, mayLearn })).toEqual(expected);
  });

  it('is its own need where the budget has no limit', () => {
    const unlimited = { usd: 1, tokens: Infinity };
    const found = reservationOf(call(0, 1), noBills, { free: unlimited, mayLearn: true });
    expect(found).toEqual({ kind: 'reservable', need: { usd: 1, tokens: 50_100 } });
  });
});

describe('a prompt that the provider adds', () => {
  const small: CallSize = { ...call(250), completion: 0 } as CallSize;
  const bills = addBill(noBills, small, 2250);

  it('is learned as a fixed number of tokens, not as a ratio beyond one token a byte', () => {
    const turn = call(30_000);
    expect(tokensOf(turn, bills)).toBeLessThan(4 * 30_000 + 2000 * 1.15 + 100);
    expect(tokensOf(small, bills)).toBeGreaterThanOrEqual(2250);
  });

  it('is kept whatever the order of bills', () => {
    const plain = addBill(noBills, call(1000), 900);
    expect(mergeBills(plain, bills)).toEqual(mergeBills(bills, plain));
    expect(mergeBills(bills, plain)['text m']).toMatchObject({ fixed: 1250, highest: 4 });
  });
});

describe('a model that bills cache writes', () => {
  it.each([1.25, 2])('reserves the whole prompt at %s of the price of input', (factor) => {
    const written = { ...price, cacheWrite: 2, cacheWriteHour: factor * price.input };
    const size = { ...call(1000), price: written } as CallSize;
    const tokens = { prompt: 4000, completion: 100, cached: 0, cacheWrittenHour: 4000 };
    const billed = costOfCall(tokens, written) ?? 0;
    expect(billed).toBeCloseTo((4000 * factor * 2 + 800) / 1e6, 12);
    expect(worstCase(size, noBills).usd).toBeGreaterThanOrEqual(billed - 1e-12);
    expect(estimatedCost(size).usd).toBeCloseTo((1150 * 2 + 800) / 1e6, 12);
  });
});
