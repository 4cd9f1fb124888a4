import { sum } from '../statistics/means.js';
import { partsOf, type ChatMessage, type ContentPart } from './chat-message.js';
import { countTokens } from './tokens.js';

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
