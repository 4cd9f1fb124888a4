import { GptEncoding } from 'gpt-tokenizer/GptEncoding';
import o200kRanks from 'gpt-tokenizer/bpeRanks/o200k_base';
import { asText, cl100k, pieces } from './tokens.js';
import { partsOf, type ChatBody, type SentMessage } from './chat-message.js';
import { matchModel } from './known-models.js';

let o200kEncoding: GptEncoding | null = null;

const o200k = (): GptEncoding =>
  (o200kEncoding ??= GptEncoding.getEncodingApi('o200k_base', () => o200kRanks));

const encodings = { o200k_base: o200k, cl100k_base: cl100k };
type EncodingName = keyof typeof encodings;

/** Exact, except that runs of more than 400 characters of one kind are counted in pieces. */
export const countTokensIn = (encoding: EncodingName, text: string): number =>
  pieces(text).reduce((sum, piece) => sum + encodings[encoding]().countTokens(piece, asText), 0);

/** Models with a known, public tokenizer. */
const encodingOf: Readonly<Record<string, EncodingName>> = {
  'gpt-3.5*': 'cl100k_base',
  'gpt-4*': 'cl100k_base',
  'gpt-4o*': 'o200k_base',
  'gpt-4.1*': 'o200k_base',
  'gpt-4.5*': 'o200k_base',
  'gpt-5*': 'o200k_base',
  'gpt-6*': 'o200k_base',
  'gpt-oss*': 'o200k_base',
  'chatgpt-4o*': 'o200k_base',
  'codex-*': 'o200k_base',
  'o1*': 'o200k_base',
  'o3*': 'o200k_base',
  'o4*': 'o200k_base',
};

export interface RequestTokens {
  readonly encoding: EncodingName;
  /** Tokens of each message, with the overhead of the message. */
  readonly messages: readonly number[];
  readonly tools: number;
  readonly total: number;
  /** Why the count is an estimate; empty when it is exact. */
  readonly estimated: readonly string[];
}

/** Overhead of OpenAI's chat format: per message, and once for the beginning of the reply. */
const perMessage = 3;
const perRequest = 3;
/** OpenAI's count for a square picture or a page of usual size: four tiles and the overview. */
const perPicture = 765;

/** Counts the tokens of a request body. */
export function countRequestTokens({ model, messages, tools }: ChatBody): RequestTokens {
  const known = matchModel(encodingOf, model);
  const encoding = known ?? 'o200k_base';
  const count = (text: string): number => countTokensIn(encoding, text);
  const counts = messages.map((message) => countMessage(message, count));
  const toolTokens = tools === undefined ? 0 : count(JSON.stringify(tools));
  return {
    encoding,
    messages: counts,
    tools: toolTokens,
    total: counts.reduce((sum, tokens) => sum + tokens, perRequest + toolTokens),
    estimated: [
      ...(known === undefined ? [`the tokenizer of ${model} is not known here`] : []),
      ...(tools === undefined ? [] : ['providers rewrite tools']),
      ...(messages.some(hasPicture) ? ['pictures count by their size'] : []),
    ],
  };
}

const sentParts = ({ content }: SentMessage): ReturnType<typeof partsOf> => partsOf(content ?? []);

const hasPicture = (message: SentMessage): boolean =>
  sentParts(message).some(({ type }) => type === 'image_url');

function countMessage(message: SentMessage, count: (text: string) => number): number {
  const parts = sentParts(message).map((part) =>
    part.type === 'text' ? count(part.text) : perPicture,
  );
  const calls = message.tool_calls ? count(JSON.stringify(message.tool_calls)) : 0;
  return parts.reduce((sum, tokens) => sum + tokens, perMessage + count(message.role) + calls);
}
