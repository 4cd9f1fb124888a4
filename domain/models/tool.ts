import { z } from 'zod';

/** A function the model may call, with a JSON schema of its arguments. */
export const toolSchema = z.object({
  name: z.string().min(1),
  description: z.string(),
  parameters: z.record(z.string(), z.json()),
});
export type Tool = Readonly<z.infer<typeof toolSchema>>;

/** A call of one, as the model wrote it: the arguments may be any text. */
export const toolCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  argumentsText: z.string(),
});
export type ToolCall = Readonly<z.infer<typeof toolCallSchema>>;
