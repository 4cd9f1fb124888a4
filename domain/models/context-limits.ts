import { sum } from '../statistics/means.js';
import { partsOf, type ChatMessage, type ContentPart } from './chat-message.js';
import { countTokens } from './tokens.js';

/** What providers count for a message beside its text, and for a picture at usual detail: estimates, on the safe side. */
const messageTokens = 4;
const imageTokens = 1105;

export const tokensOf = (message: ChatMessage): number =>
  messageTokens +
  partsOf(message.content).reduce(
    (total, part) => total + (part.type === 'text' ? countTokens(part.text) : imageTokens),
    message.role === 'assistant' ? countTokens(JSON.stringify(message.tool_calls ?? '')) : 0,
  );

/**
 * The turns that fit beside the opening, the newest first to be kept; the opening always stays (hybrid-agent.md §4.5).
 * Counted in cl100k_base, whatever the model counts in. `budgetTokens` must leave room for the completion.
 */
export function fitTurns(
  opening: readonly ChatMessage[],
  turns: readonly (readonly ChatMessage[])[],
  budgetTokens: number,
): readonly (readonly ChatMessage[])[] {
  let left = budgetTokens - sum(opening.map(tokensOf));
  const dropped = turns.findLastIndex((turn) => {
    left -= sum(turn.map(tokensOf));
    return left < 0;
  });
  return turns.slice(dropped + 1);
}

/**
 * The messages with `limit` pictures at most: those of the first `opening` messages count first, in their order, then the
 * newest. A note stands where the others were (hybrid-agent.md §4.5).
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
  let left = limit;
  for (const index of order) {
    const message = messages[index];
    if (message === undefined || typeof message.content === 'string') continue;
    const content = message.content.map((part) =>
      part.type === 'image_url' && left-- <= 0 ? omitted : part,
    );
    limited[index] = { ...message, content };
  }
  return limited;
}
