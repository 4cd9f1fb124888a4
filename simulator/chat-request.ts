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

/** The part of a chat completion request that the simulator reads. It ignores sampling settings. */
export const chatRequestSchema = z.object({
  model: z.string().min(1),
  messages: z
    .array(
      z.object({
        role: z.string(),
        content: contentSchema,
        tool_calls: z.array(z.json()).optional(),
      }),
    )
    .min(1),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
  stream: z.literal(false, 'the simulated model does not stream').nullish(),
});
export type ChatRequest = Readonly<z.infer<typeof chatRequestSchema>>;

/** A hash of model and messages. */
export const requestKey = ({ model, messages }: ChatRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([model, messages]))
    .digest('hex')
    .slice(0, 16);
