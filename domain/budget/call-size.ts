import { partsOf, type ChatRequest } from '../models/chat-message.js';
import { imageTokens, tokensOf, mostTokens } from '../models/tokens.js';
import type { Price } from '../models/usage.js';
import type { CallSize } from './amount.js';

/** What providers may add to a message (its role and marks), and to a request with tools (instructions). */
const messageOverhead = 20;
const toolsOverhead = 500;

/** More than any model is known to bill for a picture: gpt-4o-mini bills up to 48,169 tokens. */
const mostPictureTokens = 50_000;

/** The size of a model call. Only its text is read: a picture is counted, whatever its size. */
export function sizeOf({
  baseUrl,
  model,
  messages,
  tools,
  replySchema,
  maxTokens,
  price,
}: ChatRequest & { readonly price: Price | null }): CallSize {
  const parts = messages.flatMap(({ content }) => partsOf(content));
  const texts = [
    ...parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
    ...messages.flatMap((message) =>
      message.role === 'assistant' && message.tool_calls
        ? [JSON.stringify(message.tool_calls)]
        : [],
    ),
  ];
  const schemas = [tools, replySchema].flatMap((part) =>
    part === undefined ? [] : [JSON.stringify(part)],
  );
  const pictures = parts.filter(({ type }) => type === 'image_url').length;
  const counted = messages.reduce((sum, message) => sum + tokensOf(message), 0);
  const schemaTokens = schemas.reduce((sum, schema) => sum + schema.length / 3, 0);
  return {
    kind: 'model',
    model: `${model} at ${new URL(baseUrl).host}`,
    text: {
      estimated: Math.ceil(counted - pictures * imageTokens + schemaTokens),
      most:
        [...texts, ...schemas].reduce((sum, text) => sum + mostTokens(text), 0) +
        messages.length * messageOverhead +
        schemas.length * toolsOverhead,
    },
    pictures: { estimated: pictures * imageTokens, most: pictures * mostPictureTokens },
    completion: maxTokens,
    price,
  };
}
