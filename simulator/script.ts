import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Json } from '../domain/formats/python/value.js';
import { UserError } from '../domain/user-error.js';
import { placeholderProblems } from './placeholders.js';

const thought = z.string().trim().min(1);

/** May hold placeholders (placeholders.ts). */
const template = z.string().min(1).superRefine(refusePlaceholderProblems);

/**
 * What is looked up, said once for every method and format. Where both are offered it is searched for, and the
 * statement is left out; where neither is, the step is.
 */
const lookUpSchema = z
  .strictObject({ thought, search: template.optional(), sql: template.optional() })
  .refine(({ search, sql }) => (search ?? sql) !== undefined, {
    message: 'a step has a search, a statement (sql) or both; or an action as it is to be written',
  });

/** Written where an action belongs, whatever the format: for replies that no agent should take. */
const verbatimSchema = z.strictObject({ thought, action: z.string().min(1) });

const stepSchema = z.union([verbatimSchema, lookUpSchema], {
  error: 'a step has a thought, and a search, sql or both; or a thought and an action',
});

export type LookUp = Readonly<z.infer<typeof lookUpSchema>>;
export type VerbatimStep = Readonly<z.infer<typeof verbatimSchema>>;

const scriptedQuestionSchema = z
  .strictObject({
    question: z.string().min(1),
    /** In order, before the answer. */
    steps: z.array(stepSchema).default([]),
    answer: z.strictObject({
      thought,
      /** Its texts may hold placeholders. */
      value: z.json().superRefine(refusePlaceholderProblems),
    }),
  })
  .refine(({ steps, answer }) => areDistinct([...steps, answer].map(({ thought }) => thought)), {
    message: 'a turn is recognised by its thought, and two to this question have the same',
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

const areDistinct = (thoughts: readonly string[]): boolean =>
  new Set(thoughts.map(oneLine)).size === thoughts.length;

function refusePlaceholderProblems(template: Json, context: z.core.$RefinementCtx): void {
  for (const message of placeholderProblems(template))
    context.addIssue({ code: 'custom', message });
}
