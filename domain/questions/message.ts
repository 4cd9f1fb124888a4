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

/** What a message says, on a screen: a picture is named by its size and kind, e.g. `[image: 412 KB PNG]`. */
export const contentText = (content: MessageContent): string =>
  typeof content === 'string'
    ? content
    : content
        .map((part) => (part.type === 'text' ? part.text : pictureLabel(part.image_url.url)))
        .join('\n');

/** @param url - a picture's address, or the picture itself as a data URL in base64 */
export function pictureLabel(url: string): string {
  const [, kind, base64] = /^data:image\/([\w.+-]+);base64,(.*)$/s.exec(url) ?? [];
  if (kind === undefined || base64 === undefined) return `[image: ${url}]`;
  return `[image: ${Math.round((base64.length * 3) / 4 / 1024)} KB ${kind.toUpperCase()}]`;
}
