import { z } from 'zod';
import { highestPromptPrice, priceSchema } from '../models/usage.js';

/** The cost of calls: US dollars, and tokens of prompts and completions. */
export const amountSchema = z.object({
  usd: z.number().nonnegative(),
  tokens: z.number().nonnegative(),
});
export type Amount = Readonly<z.infer<typeof amountSchema>>;

/** The highest amount that may be spent. Null means no limit. */
export const capSchema = z.object({
  usd: z.number().nonnegative().nullable(),
  tokens: z.int().nonnegative().nullable(),
});
export type Cap = Readonly<z.infer<typeof capSchema>>;

export const noAmount: Amount = { usd: 0, tokens: 0 };
export const noCap: Cap = { usd: null, tokens: null };

/** Dollars are rounded to 1 / precision. A token of the cheapest models costs some thousands of these units. */
const precision = 1e12;

/** Removes the rounding error of floating-point sums. Exact up to 9,000 dollars. */
const exact = (usd: number): number => Math.round(usd * precision) / precision;

/** The order of additions and subtractions does not change the result. */
export const add = (a: Amount, b: Amount): Amount => ({
  usd: exact(a.usd + b.usd),
  tokens: a.tokens + b.tokens,
});

/** `a - b`, but at least 0. */
export const subtract = (a: Amount, b: Amount): Amount => ({
  usd: Math.max(0, exact(a.usd - b.usd)),
  tokens: Math.max(0, a.tokens - b.tokens),
});

export const min = (a: Amount, b: Amount): Amount => ({
  usd: Math.min(a.usd, b.usd),
  tokens: Math.min(a.tokens, b.tokens),
});

export const max = (a: Amount, b: Amount): Amount => ({
  usd: Math.max(a.usd, b.usd),
  tokens: Math.max(a.tokens, b.tokens),
});

export const sum = (amounts: readonly Amount[]): Amount => amounts.reduce(add, noAmount);

/** Whether `a` is at least `b`, in dollars and in tokens. */
export const covers = (a: Amount, b: Amount): boolean =>
  exact(a.usd) >= exact(b.usd) && a.tokens >= b.tokens;

export const isZero = ({ usd, tokens }: Amount): boolean => exact(usd) === 0 && tokens === 0;

/** The cap as an amount. Infinity stands for no limit. */
export const capAsAmount = ({ usd, tokens }: Cap): Amount => ({
  usd: usd ?? Infinity,
  tokens: tokens ?? Infinity,
});

/** What is left of a budget; null where it has no limit. */
export function capLeft(cap: Cap, spent: Amount): Cap {
  const { usd, tokens } = subtract(capAsAmount(cap), spent);
  return { usd: cap.usd === null ? null : usd, tokens: cap.tokens === null ? null : tokens };
}

export const isCapped = ({ usd, tokens }: Cap): boolean => usd !== null || tokens !== null;

/** Tokens of one kind of content. */
const tokensSchema = z.object({
  estimated: z.number().nonnegative(),
  /** As many as a provider may bill for it, whatever its tokenizer. */
  most: z.number().nonnegative(),
});

/** What is known of a paid call before it is made. */
export const callSizeSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('model'),
    /** Names a model at an endpoint. */
    model: z.string(),
    /** Of all messages and tools, pictures apart. */
    text: tokensSchema.readonly(),
    pictures: tokensSchema.readonly(),
    /** The highest number of completion tokens. */
    completion: z.number().nonnegative(),
    /** Null if unknown. */
    price: priceSchema.nullable(),
  }),
  /** A query of the graph program, which tells its cost afterwards. */
  z.object({ kind: z.literal('graph') }),
]);
export type CallSize = Readonly<z.infer<typeof callSizeSchema>>;
type ModelCallSize = Extract<CallSize, { readonly kind: 'model' }>;

const billSchema = z
  .object({
    lowest: z.number(),
    highest: z.number(),
    /** Most tokens beyond those that a text can have: of a prompt that the provider adds. Absent for none. */
    fixed: z.number().optional(),
  })
  .readonly();
type Bill = z.infer<typeof billSchema>;

/**
 * The lowest and the highest ratio of billed to estimated tokens that was seen, by model and kind of content. Graph queries
 * have no estimate: theirs are dollars.
 */
export const billsSchema = z.record(z.string(), billSchema);
export type Bills = Readonly<z.infer<typeof billsSchema>>;

export const noBills: Bills = {};

const graphKey = 'graph';
const textKey = ({ model }: ModelCallSize): string => `text ${model}`;
const pictureKey = ({ model }: ModelCallSize): string => `pictures ${model}`;

/** The next request may be billed by a slightly higher ratio: providers write tools in other words, and pictures differ. */
const margin = 1.15;

/** Reserved at least for a graph query of unknown cost. */
const leastGraphUsd = 0.01;

/** No tokenizer is known to make less of a text than this ratio. */
const lowestTextRatio = 0.5;

/** In any order, and repeated, it gives the same. It returns `a` itself where `b` adds nothing. */
export function mergeBills(a: Bills, b: Bills): Bills {
  const wider = Object.entries(b).flatMap(([key, bill]) => {
    const known = a[key];
    if (known === undefined) return [[key, bill] as const];
    const fixed = Math.max(bill.fixed ?? 0, known.fixed ?? 0);
    const isWithin = bill.lowest >= known.lowest && bill.highest <= known.highest;
    if (isWithin && fixed === (known.fixed ?? 0)) return [];
    const range: Bill = {
      lowest: Math.min(bill.lowest, known.lowest),
      highest: Math.max(bill.highest, known.highest),
      ...(fixed > 0 && { fixed }),
    };
    return [[key, range] as const];
  });
  return wider.length === 0 ? a : { ...a, ...Object.fromEntries(wider) };
}

/**
 * Adds the bill of a call.
 * @param billed - prompt tokens; for a graph query dollars
 */
export function addBill(bills: Bills, size: CallSize, billed: number): Bills {
  const add = (key: string, ratio: number, fixed = 0): Bills =>
    mergeBills(bills, { [key]: { lowest: ratio, highest: ratio, ...(fixed > 0 && { fixed }) } });
  if (size.kind === 'graph') return add(graphKey, billed);
  const { text, pictures } = size;
  if (pictures.estimated === 0) {
    if (text.estimated === 0) return bills;
    // What is more than a text can have does not grow with the text.
    const ofText = Math.min(billed, text.most);
    return add(textKey(size), ofText / text.estimated, billed - ofText);
  }
  // The text of this request may have been billed least, so that the pictures were billed most.
  const ratio = bills[textKey(size)]?.lowest ?? lowestTextRatio;
  return add(pictureKey(size), Math.max(0, billed - ratio * text.estimated) / pictures.estimated);
}

/** False for calls whose highest cost only a bill can tell: nothing limits what a model bills for a picture. */
export const isKnown = (size: CallSize, bills: Bills): boolean =>
  size.kind === 'graph'
    ? graphKey in bills
    : size.pictures.estimated === 0 || pictureKey(size) in bills;

/**
 * The highest possible cost of a call, as far as it is known: all prompt tokens have their highest price, and the completion
 * has its maximum length. Tokens are estimated, and corrected by the highest ratio that was billed; before the first bill they count as the
 * most that they may be.
 */
export function worstCase(size: CallSize, bills: Bills): Amount {
  if (size.kind === 'graph') {
    const bill = bills[graphKey];
    return { usd: bill === undefined ? leastGraphUsd : bill.highest * margin, tokens: 0 };
  }
  const { completion, price } = size;
  const corrected = ({ estimated }: ModelCallSize['text'], { highest }: Bill): number =>
    estimated * Math.max(1, highest) * margin;
  const textBill = bills[textKey(size)];
  const pictureBill = bills[pictureKey(size)];
  const text =
    textBill === undefined
      ? size.text.most
      : Math.min(corrected(size.text, textBill), size.text.most) + (textBill.fixed ?? 0) * margin;
  const pictures =
    pictureBill === undefined ? size.pictures.most : corrected(size.pictures, pictureBill);
  const prompt = Math.ceil(text + pictures);
  const usd =
    price === null ? 0 : (prompt * highestPromptPrice(price) + completion * price.output) / 1e6;
  return { usd, tokens: prompt + completion };
}

/** The cost of a call if its tokens are as many as estimated, and none is written to a cache, for forecasts. */
export function estimatedCost(size: CallSize): Amount {
  if (size.kind === 'graph') return worstCase(size, noBills);
  const { price } = size;
  const uncached = price && { input: price.input, output: price.output };
  return worstCase(
    { ...size, price: uncached },
    {
      [textKey(size)]: { lowest: 1, highest: 1 },
      [pictureKey(size)]: { lowest: 1, highest: 1 },
    },
  );
}

/**
 * `waits`: a call of unknown cost, while another one is in flight. `refused`: too little is free.
 * A call of unknown cost reserves all that is free, and at least `worstCase`.
 */
export type Reservable =
  | { readonly kind: 'reservable'; readonly need: Amount }
  | { readonly kind: 'waits' }
  | { readonly kind: 'refused' };

/**
 * What a call is to reserve.
 * @param free - of the budget. Infinity where it has no limit
 * @param mayLearn - whether no other call of unknown cost is in flight
 */
export function reservationOf(
  size: CallSize,
  bills: Bills,
  { free, mayLearn }: { readonly free: Amount; readonly mayLearn: boolean },
): Reservable {
  const need = worstCase(size, bills);
  const isCovered = covers(free, need);
  if (isKnown(size, bills)) return isCovered ? { kind: 'reservable', need } : { kind: 'refused' };
  if (!mayLearn) return { kind: 'waits' };
  return isCovered ? { kind: 'reservable', need: allOf(free, need) } : { kind: 'refused' };
}

/** All that is free, and `need` where the budget has no limit. */
export const allOf = (free: Amount, need: Amount): Amount => ({
  usd: free.usd === Infinity ? need.usd : free.usd,
  tokens: free.tokens === Infinity ? need.tokens : free.tokens,
});
