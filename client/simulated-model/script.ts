import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { UserError } from '../user-error.js';
import { placeholderProblems } from './placeholders.js';

const replySchema = z.strictObject({
  thought: z.string().trim().min(1),
  /** In the action format of the run. May hold placeholders (placeholders.ts). */
  action: z
    .string()
    .min(1)
    .superRefine((action, context) => {
      for (const message of placeholderProblems(action))
        context.addIssue({ code: 'custom', message });
    }),
});

export type ScriptedReply = Readonly<z.infer<typeof replySchema>>;

const scriptedQuestionSchema = z.strictObject({
  question: z.string().min(1),
  /** In order. A turn is recognised by its thought, so no two may be the same. */
  replies: z
    .tuple([replySchema], replySchema)
    .refine(
      (replies) => new Set(replies.map(({ thought }) => oneLine(thought))).size === replies.length,
      {
        message: 'two replies to one question have the same thought',
      },
    ),
});
export type ScriptedQuestion = Readonly<z.infer<typeof scriptedQuestionSchema>>;

/** What the simulated model says. Looked up in the order of the fields. */
export const scriptSchema = z.strictObject({
  questions: z.array(scriptedQuestionSchema).default([]),
  /** For prompts that are no agent's question, a judge's for instance: the reply where the last message holds `includes`. */
  prompts: z.array(z.strictObject({ includes: z.string().min(1), reply: z.string() })).default([]),
  /** Made-up conversations of this many turns for all other questions, for tests of load. */
  generated: z.strictObject({ turns: z.int().min(1) }).optional(),
});
export type Script = Readonly<z.infer<typeof scriptSchema>>;

/** @throws UserError naming the file and what is wrong with it. */
export function readScript(path: string): Script {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError(`The script ${path} cannot be read: ${reason}`);
  }
  const script = scriptSchema.safeParse(json);
  if (!script.success)
    throw new UserError(`The script ${path} is not valid:\n${z.prettifyError(script.error)}`);
  return script.data;
}

/** Rendering and wrapping may change white space, and nothing else. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
