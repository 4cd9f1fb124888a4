import { z } from 'zod';

/** One line of a trajectory, and one message of a chat completion request. */
export const messageSchema = z.object({
  role: z.enum(['system', 'user', 'assistant']),
  content: z.string(),
});
export type Message = Readonly<z.infer<typeof messageSchema>>;
