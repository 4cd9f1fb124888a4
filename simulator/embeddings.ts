import { createHash } from 'node:crypto';
import { z } from 'zod';
import { estimateTokens } from './completion.js';

const settings = {
  model: z.string().min(1),
  dimensions: z.int().min(1).max(8192).optional(),
  encoding_format: z.enum(['float', 'base64']).default('float'),
};

/** A text or a picture as the message of a chat, as vLLM takes it. The vector of a picture is that of its address. */
const messageSchema = z.object({
  content: z.tuple([
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) }),
    ]),
  ]),
});

export const embeddingsRequestSchema = z.union([
  z.object({
    ...settings,
    input: z.union([z.string().transform((text) => [text]), z.array(z.string()).min(1)]),
  }),
  z
    .object({ ...settings, messages: z.tuple([messageSchema]) })
    .transform(({ messages: [{ content }], ...rest }) => {
      const [part] = content;
      return { ...rest, input: [part.type === 'text' ? part.text : part.image_url.url] };
    }),
]);
type EmbeddingsRequest = z.infer<typeof embeddingsRequestSchema>;

/** A normalised bag of hashed words: texts that share words are close to each other. */
export function embed(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
    const hash = createHash('sha256').update(word).digest();
    const at = hash.readUInt32BE(0) % dimensions;
    vector[at] = (vector[at] ?? 0) + (hash.readUInt8(4) % 2 === 0 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  return length === 0 ? embed('', dimensions) : vector.map((value) => value / length);
}

/** The reply to `POST /v1/embeddings` in OpenAI's format. */
export function embeddingsReply(request: EmbeddingsRequest, defaultDimensions: number): object {
  const { model, input, dimensions = defaultDimensions, encoding_format: encoding } = request;
  const tokens = input.reduce((sum, text) => sum + estimateTokens(text), 0);
  return {
    object: 'list',
    model,
    data: input.map((text, index) => {
      const vector = embed(text, dimensions);
      return {
        object: 'embedding',
        index,
        embedding:
          encoding === 'float' ? [...vector] : Buffer.from(vector.buffer).toString('base64'),
      };
    }),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}
