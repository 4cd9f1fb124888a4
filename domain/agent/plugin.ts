import { z } from 'zod';
import { actionNames, anyValueSchema } from './actions/action.js';

/** The specification of an action of a plugin (`ActionSpec`). */
const pluginActionSchema = z.object({
  name: z.string(),
  isOfPlugin: z.literal(true),
  description: z.string(),
  observation: z.string(),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        type: z.enum(['str', 'int', 'float', 'bool', 'Any']),
        default: anyValueSchema.optional(),
        unchecked: z.literal(true).optional(),
        description: z.string(),
      }),
    )
    .readonly(),
  examples: z
    .array(
      z.object({
        explanation: z.string(),
        action: z.object({
          kind: z.literal('PluginAction'),
          name: z.string(),
          fields: z.array(z.object({ name: z.string(), value: anyValueSchema })).readonly(),
        }),
      }),
    )
    .readonly(),
});
export type PluginActionSpec = Readonly<z.infer<typeof pluginActionSchema>>;

const actionsSchema = z.array(z.union([z.enum(actionNames), pluginActionSchema])).readonly();
const schemasSchema = z
  .array(z.enum(['database', 'vectorstore', 'described-vectorstore']))
  .readonly();

/** A method of a plugin (`Method`). It is data: the code of turnwise carries it out. */
export const pluginMethodSchema = z.discriminatedUnion(
  'kind',
  [
    z.object({
      kind: z.literal('iterative'),
      summary: z.string(),
      role: z.string(),
      actions: actionsSchema,
      schemas: schemasSchema,
      hints: z.array(z.string()).readonly(),
      scope: z.enum(['anchors', 'store']),
      about: z.enum(['papers', 'tables']).default('papers'),
    }),
    z.object({
      kind: z.literal('single-shot'),
      summary: z.string(),
      role: z.string(),
      context: z.union([
        z.object({ kind: z.enum(['none', 'schema']) }),
        z.object({
          kind: z.enum(['titles-and-abstracts', 'full-text']),
          cutoffTokens: z.int().positive(),
        }),
        z.object({ kind: z.literal('search'), limit: z.int().min(1).max(100) }),
      ]),
    }),
    z.object({
      kind: z.literal('two-stage'),
      summary: z.string(),
      role: z.string(),
      retrieval: z.union([
        z.object({ kind: z.literal('sql') }),
        z.object({ kind: z.literal('action'), actions: actionsSchema }),
      ]),
      schemas: schemasSchema,
      answerRole: z.string(),
    }),
  ],
  { error: 'kind is iterative, single-shot or two-stage' },
);
export type PluginMethod = Readonly<z.infer<typeof pluginMethodSchema>>;

/**
 * A module of the user's, as a run keeps it. Its code is in the run's files, as one file that is named for its hash. What it
 * defines is written out, so that nothing but a call of an action or a scorer executes code of it.
 */
export const pluginSchema = z.object({
  /** As the user gave it. */
  path: z.string(),
  /** Of the one file that its modules were made into, in hex. */
  sha256: z.string(),
  /** Their names, which evaluators have as `eval_func`. */
  scorers: z.array(z.string()).readonly(),
  actions: z.array(z.string()).readonly(),
  methods: z.record(z.string(), pluginMethodSchema),
});
export type Plugin = Readonly<z.infer<typeof pluginSchema>>;

/** The plugin that defines something. */
export const pluginWith = (
  plugins: readonly Plugin[],
  what: 'actions' | 'scorers',
  name: string,
): Plugin | undefined => plugins.find((plugin) => plugin[what].includes(name));

/** What a plugin may change of the conversations of a run: everything but its scorers. */
export const shapesConversations = ({ actions, methods }: Plugin): boolean =>
  actions.length > 0 || Object.keys(methods).length > 0;

/** What became of a call of the user's own code. The message is one sentence without a full stop, with the user's file and line. */
export type OwnOutcome = { readonly kind: 'returned'; readonly value: unknown } | OwnFailed;

export interface OwnFailed {
  readonly kind: 'failed';
  readonly failure: OwnFailure;
  readonly message: string;
  /** The last lines that a program wrote to stderr. */
  readonly lastWords?: string;
}

/**
 * - `threw`: it threw an error
 * - `timeout`: it took longer than it may
 * - `crash`: its process or thread ended
 * - `killed`: its process was killed
 * - `nonsense`: what it gave is not what was asked for
 */
export type OwnFailure = 'threw' | 'timeout' | 'crash' | 'killed' | 'nonsense';

export const ownFailure = (failure: OwnFailure, message: string): OwnFailed => ({
  kind: 'failed',
  failure,
  message,
});
