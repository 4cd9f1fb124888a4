import { GptEncoding } from 'gpt-tokenizer/GptEncoding';
import ranks from 'gpt-tokenizer/bpeRanks/cl100k_base';

let encoding: GptEncoding | null = null;

/** Built at the first use: that takes 0.2 s, and few commands count tokens. */
export const cl100k = (): GptEncoding =>
  (encoding ??= GptEncoding.getEncodingApi('cl100k_base', () => ranks));

/** What looks like a special token, such as `<|endoftext|>`, is text like any other. */
const asText = { disallowedSpecial: new Set<string>() };

/** Beyond this many letters, signs or blanks in a row the tokenizer's time grows with the square of their number. */
const longRun = /\p{L}{400}(?=\p{L})|[^\s\p{L}\p{N}]{400}(?=[^\s\p{L}\p{N}])|\s{400}(?=\s)/gu;

/** In cl100k_base. Exact, but that a run of 400 characters or more of one kind is counted in pieces. */
export const countTokens = (text: string): number =>
  pieces(text).reduce((total, piece) => total + cl100k().countTokens(piece, asText), 0);

/** Whether a text is so short that it cannot have more than `limit` tokens: a hundred times quicker than to count them. */
export const surelyWithin = (text: string, limit: number): boolean =>
  // No token is shorter than a byte, and no UTF-16 unit longer than three.
  text.length * (isAscii.test(text) ? 1 : 3) <= limit;

/** Written as one byte each. */
const isAscii = /^[\n -~]*$/;

/** The first `limit` tokens of a text; the text itself where it has no more. */
export function truncateTokens(text: string, limit: number): string {
  if (surelyWithin(text, limit)) return text;
  const tokens: number[] = [];
  for (const piece of pieces(text)) {
    for (const token of cl100k().encode(piece, asText)) tokens.push(token);
    if (tokens.length > limit) return cl100k().decode(tokens.slice(0, limit));
  }
  return text;
}

/** Pieces of a text that a tokenizer takes in a time linear in the text. */
export function pieces(text: string): readonly string[] {
  if (!mayHaveLongRun(text)) return [text];
  const found: string[] = [];
  let start = 0;
  for (const match of text.matchAll(longRun)) {
    const end = match.index + match[0].length;
    found.push(text.slice(start, end));
    start = end;
  }
  return [...found, text.slice(start)];
}

/** Takes a tenth of the time of looking for long runs, and most texts have none. */
const mayHaveLongRun = (text: string): boolean =>
  text.split(/\s/).some(({ length }) => length > 400) || /\s{401}/.test(text);
