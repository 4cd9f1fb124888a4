import { GptEncoding } from 'gpt-tokenizer/GptEncoding';
import ranks from 'gpt-tokenizer/bpeRanks/cl100k_base';
import { sum } from '../statistics/means.js';
import { partsOf, type ChatMessage, type ContentPart } from './chat-message.js';

let encoding: GptEncoding | null = null;

/** Built at the first use: that takes 0.2 s, and few commands count tokens. */
export const cl100k = (): GptEncoding =>
  (encoding ??= GptEncoding.getEncodingApi('cl100k_base', () => ranks));

/** Treats special tokens such as `<|endoftext|>` as plain text. */
export const asText = { disallowedSpecial: new Set<string>() };

/** Runs of letters, symbols or white space. The tokenizer takes quadratic time for longer runs. */
const longRun = /\p{L}{400}(?=\p{L})|[^\s\p{L}\p{N}]{400}(?=[^\s\p{L}\p{N}])|\s{400}(?=\s)/gu;

/** Tokens in cl100k_base. Exact, except that runs of more than 400 characters of one kind are counted in pieces. */
export const countTokens = (text: string): number =>
  pieces(text).reduce((total, piece) => total + cl100k().countTokens(piece, asText), 0);

/** The most tokens that a text may have: no token is shorter than a byte. This is a hundred times faster than counting. */
export const mostTokens = (text: string): number => Buffer.byteLength(text);

/** The first `limit` tokens of a text, or the whole text when it has fewer. */
export function truncateTokens(text: string, limit: number): string {
  if (mostTokens(text) <= limit) return text;
  const tokens: number[] = [];
  for (const piece of pieces(text)) {
    for (const token of cl100k().encode(piece, asText)) tokens.push(token);
    if (tokens.length > limit) return cl100k().decode(tokens.slice(0, limit));
  }
  return text;
}

/** Splits long runs, so that the tokenizer takes linear time. */
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

/** A fast check: ten times faster than `longRun`, and most texts have no long run. */
const mayHaveLongRun = (text: string): boolean =>
  text.split(/\s/).some(({ length }) => length > 400) || /\s{401}/.test(text);

/** Estimated tokens of a message besides its text, and of a picture. They are rather too high than too low. */
const messageTokens = 4;
export const imageTokens = 1105;

export const tokensOf = (message: ChatMessage): number =>
  messageTokens +
  partsOf(message.content).reduce(
    (total, part) => total + (part.type === 'text' ? countTokens(part.text) : imageTokens),
    message.role === 'assistant' ? countTokens(JSON.stringify(message.tool_calls ?? '')) : 0,
  );

/**
 * The newest turns that fit beside the opening, which always stays.
 * @param budgetTokens - in cl100k_base for every model, without the tokens of the completion
 */
export function fitTurns(
  opening: readonly ChatMessage[],
  turns: readonly (readonly ChatMessage[])[],
  budgetTokens: number,
): readonly (readonly ChatMessage[])[] {
  let remaining = budgetTokens - sum(opening.map(tokensOf));
  const dropped = turns.findLastIndex((turn) => {
    remaining -= sum(turn.map(tokensOf));
    return remaining < 0;
  });
  return turns.slice(dropped + 1);
}

/**
 * The messages with at most `limit` pictures. Pictures of the first `opening` messages have priority, then the newest. A note
 * replaces each other picture.
 */
export function limitImages(
  messages: readonly ChatMessage[],
  { opening, limit }: { readonly opening: number; readonly limit: number },
): readonly ChatMessage[] {
  const omitted: ContentPart = {
    type: 'text',
    text: `The image stream is omitted due to the incapability of handling >${limit} images.`,
  };
  const indexes = messages.map((_message, index) => index);
  const order = [...indexes.slice(0, opening), ...indexes.slice(opening).reverse()];
  const limited = [...messages];
  let remaining = limit;
  for (const index of order) {
    const message = messages[index];
    if (message === undefined || typeof message.content === 'string') continue;
    const content = message.content.map((part) =>
      part.type === 'image_url' && remaining-- <= 0 ? omitted : part,
    );
    limited[index] = { ...message, content };
  }
  return limited;
}
