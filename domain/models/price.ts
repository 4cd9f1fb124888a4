import { z } from 'zod';

const perMillion = z.number().nonnegative();

/** US dollars per million tokens. */
export const priceSchema = z.strictObject({
  input: perMillion,
  output: perMillion,
  /** Of prompt tokens the provider had cached; where it is absent they cost what others do. */
  cachedInput: perMillion.optional(),
});
export type Price = Readonly<z.infer<typeof priceSchema>>;

export const priceTableSchema = z.record(z.string().min(1), priceSchema);
export type PriceTable = Readonly<z.infer<typeof priceTableSchema>>;

/** Tokens of one call: `cached` are part of `prompt`, reasoning tokens of `completion`. */
export interface PricedTokens {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
}

/** What a call cost in US dollars; null where its price or its tokens are not known. */
export function costOfCall(tokens: PricedTokens | null, price: Price | null): number | null {
  if (tokens === null || price === null) return null;
  const { input, output, cachedInput = input } = price;
  const cached = Math.min(tokens.cached, tokens.prompt);
  return (
    ((tokens.prompt - cached) * input + cached * cachedInput + tokens.completion * output) / 1e6
  );
}
