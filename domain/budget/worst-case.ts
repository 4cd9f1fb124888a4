import type { Amount } from './amount.js';
import { tokensOf } from '../models/context-limits.js';
import type { ChatRequest } from '../models/chat-request.js';
import type { Price } from '../models/usage.js';

/** Providers may count more prompt tokens than the local tokenizer: tokenizers differ, and tools are sent in other words. */
const margin = 1.15;

/** The highest possible cost of a call: no prompt token is cached, and the completion has its maximum length. */
export function worstCase(request: ChatRequest, price: Price | null): Amount {
  const { messages, tools, replySchema, maxTokens } = request;
  const counted = messages.reduce((sum, message) => sum + tokensOf(message), 0);
  const schemaTokens = [tools, replySchema]
    .map((part) => (part === undefined ? 0 : JSON.stringify(part).length / 3))
    .reduce((sum, tokens) => sum + tokens, 0);
  const prompt = Math.ceil((counted + schemaTokens) * margin);
  const usd = price === null ? 0 : (prompt * price.input + maxTokens * price.output) / 1e6;
  return { usd, tokens: prompt + maxTokens };
}
