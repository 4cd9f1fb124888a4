import type { Amount } from './amount.js';
import { tokensOf } from '../models/context-limits.js';
import type { ChatRequest } from '../models/chat-request.js';
import type { Price } from '../models/usage.js';

/** How much more tokens of a prompt a provider may count than are counted here: tokenizers differ, tools are rewritten. */
const margin = 1.15;

/** What a call costs at most: a prompt without a cached token, and a completion as long as it may be. */
export function worstCase(request: ChatRequest, price: Price | null): Amount {
  const { messages, tools, replySchema, maxTokens } = request;
  const counted = messages.reduce((sum, message) => sum + tokensOf(message), 0);
  const described = [tools, replySchema]
    .map((part) => (part === undefined ? 0 : JSON.stringify(part).length / 3))
    .reduce((sum, tokens) => sum + tokens, 0);
  const prompt = Math.ceil((counted + described) * margin);
  const usd = price === null ? 0 : (prompt * price.input + maxTokens * price.output) / 1e6;
  return { usd, tokens: prompt + maxTokens };
}
