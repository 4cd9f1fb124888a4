import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { steps } from '../domain/building/item.js';
import { decisions, subTasks } from '../domain/scoring/review/panel.js';
import { jsonIn } from '../domain/formats/json.js';
import type { Json } from '../domain/formats/python/value.js';
import { UserError } from '../domain/user-error.js';
import { placeholderProblems } from './placeholders.js';

const thought = z.string().trim().min(1);

/** May contain placeholders (placeholders.ts). */
const template = z.string().min(1).superRefine(refusePlaceholderProblems);

/**
 * A look-up, written once for all methods and action formats. The search is used if it is offered, else the SQL statement.
 * If neither is offered, the step is skipped.
 */
const lookUpSchema = z
  .strictObject({ thought, search: template.optional(), sql: template.optional() })
  .refine(({ search, sql }) => (search ?? sql) !== undefined, {
    message: 'a step needs a search, a statement (sql) or both, or an action',
  });

/** Replaces the action in the reply, unchanged in every format: for replies that an agent must reject. */
const verbatimSchema = z.strictObject({ thought, action: z.string().min(1) });

const stepSchema = z.union([verbatimSchema, lookUpSchema], {
  error: 'a step needs a thought, and a search, sql, both, or an action',
});

export type LookUp = Readonly<z.infer<typeof lookUpSchema>>;
export type VerbatimStep = Readonly<z.infer<typeof verbatimSchema>>;

const scriptedQuestionSchema = z
  .strictObject({
    question: z.string().min(1),
    /** The turns before the answer, in order. */
    steps: z.array(stepSchema).default([]),
    answer: z.strictObject({
      thought,
      /** Its texts may contain placeholders. */
      value: z.json().superRefine(refusePlaceholderProblems),
    }),
  })
  .refine(({ steps, answer }) => areDistinct([...steps, answer].map(({ thought }) => thought)), {
    message: 'two turns of this question have the same thought, by which turns are recognised',
  });
export type ScriptedQuestion = Readonly<z.infer<typeof scriptedQuestionSchema>>;

const fraction = z.number().min(0).max(1);

/** The replies of a database method, whatever its mode. */
const databaseQuestionSchema = z.strictObject({
  question: z.string().min(1),
  /** The model whose replies these are. @defaultValue any model without an entry of its own */
  model: z.string().optional(),
  /** @defaultValue the needs of `rounds`, a line each */
  plan: z.string().optional(),
  /** @defaultValue the queries of `rounds` */
  queries: z.array(z.string()).readonly().optional(),
  /** In the order of the queries that fail. */
  repairs: z.array(z.string()).readonly().default([]),
  /** Of mode `iterative`; then it has enough. */
  rounds: z
    .array(z.strictObject({ need: z.string(), query: z.string() }))
    .readonly()
    .default([]),
  answer: z.string(),
});
export type ScriptedDatabaseQuestion = Readonly<z.infer<typeof databaseQuestionSchema>>;

/** The decision of reviewers and meta-reviewers about a part of an answer. */
const scriptedReviewSchema = z.strictObject({
  question: z.string().min(1),
  subTask: z.enum(subTasks),
  /** The member whose decision it is. @defaultValue each without an entry of its own */
  model: z.string().optional(),
  decision: z.enum(decisions),
  rationale: z.string().default('So the script has it.'),
});
export type ScriptedReview = Readonly<z.infer<typeof scriptedReviewSchema>>;

/** The reply to a step of building a dataset. */
const scriptedStepSchema = z.strictObject({
  step: z.enum(steps),
  /** A part of the prompt, such as the question. */
  includes: z.string().min(1),
  reply: z.string(),
  /** Whether the step is answered so again when its reply could not be used. */
  always: z.boolean().default(false),
});

/** The replies of the simulated model. The first field that has a reply is used. */
export const scriptSchema = z.strictObject({
  questions: z.array(scriptedQuestionSchema).default([]),
  databaseQuestions: z.array(databaseQuestionSchema).default([]),
  /** Models that fall short of `databaseQuestions` in this share of their rounds and sentences (database-replies.ts). */
  carelessness: z.record(z.string(), fraction).default({}),
  /** Other reviews follow a rule (`simulated-review.ts`). */
  reviews: z.array(scriptedReviewSchema).default([]),
  /** Other steps follow a rule (`simulated-building.ts`). */
  building: z.array(scriptedStepSchema).default([]),
  /** Replies to other prompts, such as a judge's: the reply if the last message contains `includes`. */
  prompts: z.array(z.strictObject({ includes: z.string().min(1), reply: z.string() })).default([]),
  /** For all other questions, generated conversations of this many turns, for load tests. */
  generated: z.strictObject({ turns: z.int().min(1) }).optional(),
});
export type Script = Readonly<z.infer<typeof scriptSchema>>;

/**
 * @param read - resolves a path to the text of its file
 * @throws UserError that names the file and its errors
 */
export function readScript(
  path: string,
  read: (path: string) => string = (file) => readFileSync(file, 'utf8'),
): Script {
  const json = jsonIn(read(path));
  if (json === undefined) throw new UserError(`script ${path} is not JSON`);
  const script = scriptSchema.safeParse(json);
  if (script.success) return script.data;
  throw new UserError(`script ${path} is not valid: ${z.prettifyError(script.error)}`);
}

/** Normalises white space, which rendering and wrapping may change. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const areDistinct = (thoughts: readonly string[]): boolean =>
  new Set(thoughts.map(oneLine)).size === thoughts.length;

function refusePlaceholderProblems(template: Json, context: z.core.$RefinementCtx): void {
  for (const message of placeholderProblems(template))
    context.addIssue({ code: 'custom', message });
}
