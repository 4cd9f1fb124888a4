import { createHash } from 'node:crypto';
import { z } from 'zod';

const contentSchema = z.union([
  z.string(),
  z.undefined().transform(() => ''),
  z.null().transform(() => ''),
  z
    .array(z.looseObject({ text: z.string().default('') }))
    .transform((parts) => parts.map(({ text }) => text).join('\n')),
]);

const pictureSchema = z.looseObject({ image_url: z.looseObject({ url: z.string() }) });
const partsSchema = z.looseObject({ content: z.array(z.unknown()) });

/** A message with the addresses of its pictures, if it has any. */
function withPictures(message: unknown): unknown {
  const parts = partsSchema.safeParse(message).data;
  const pictures = parts?.content.flatMap(
    (part) => pictureSchema.safeParse(part).data?.image_url.url ?? [],
  );
  return pictures?.length ? { ...parts, pictures } : message;
}

/** The part of a chat completion request that the simulator reads. It ignores sampling settings. */
export const chatRequestSchema = z.object({
  model: z.string().min(1),
  messages: z
    .array(
      z.preprocess(
        withPictures,
        z.object({
          role: z.string(),
          content: contentSchema,
          tool_calls: z.array(z.json()).optional(),
          pictures: z.array(z.string()).optional(),
        }),
      ),
    )
    .min(1),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
  stream: z.boolean().nullish(),
});
export type ChatRequest = Readonly<z.infer<typeof chatRequestSchema>>;

/** A hash of model and messages. */
export const requestKey = ({ model, messages }: ChatRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([model, messages]))
    .digest('hex')
    .slice(0, 16);
