import { z } from 'zod';

/** A part of a message that holds a picture, exactly as OpenAI's chat completions have it. */
export const contentPartSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) }),
]);
export type ContentPart = Readonly<z.infer<typeof contentPartSchema>>;

/** One line of a trajectory. What a chat completion request may hold beside it is in `models/chat-message.ts`. */
export const messageSchema = z.object({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.union([z.string(), z.array(contentPartSchema).readonly()]),
});
export type Message = Readonly<z.infer<typeof messageSchema>>;
export type MessageContent = Message['content'];

/** All that a message says in words. */
export const contentText = (content: MessageContent): string =>
  typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
