import { z } from 'zod';
import { priceSchema } from './usage.js';

/** As OpenAI names them; which of them a model knows is the model's affair. */
export const reasoningEfforts = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
] as const;

/**
 * How a model is told what belongs in the system message. `merged`: at the head of the first user message,
 * for chat templates that know no system role and refuse two user messages in a row.
 */
export const systemRoles = ['system', 'developer', 'user', 'merged'] as const;

export const tokenLimitFields = ['max_tokens', 'max_completion_tokens'] as const;

const settings = {
  temperature: z.number().min(0).max(2),
  topP: z.number().gt(0).max(1),
  /** Of one completion, hidden reasoning included. */
  maxTokens: z.int().positive(),
  seed: z.int(),
  reasoningEffort: z.enum(reasoningEfforts),
  systemRole: z.enum(systemRoles),
  tokenLimitField: z.enum(tokenLimitFields),
  /** Whether a reply can be held to a JSON schema (`response_format`); used where a reply is data: a judge's. */
  structuredReplies: z.boolean(),
  /** Goes into every request as it is, for what only one server knows (`chat_template_kwargs`). */
  extraBody: z.record(z.string(), z.json()),
};

/** What a request holds for a model. `null`: left out of it, or as the endpoint's host suggests. */
const modelSettingsSchema = z.object({
  temperature: settings.temperature.nullable(),
  topP: settings.topP.nullable(),
  maxTokens: settings.maxTokens,
  seed: settings.seed.nullable().default(null),
  reasoningEffort: settings.reasoningEffort.nullable().default(null),
  systemRole: settings.systemRole.default('system'),
  tokenLimitField: settings.tokenLimitField.nullable().default(null),
  structuredReplies: settings.structuredReplies.default(false),
  extraBody: settings.extraBody.default({}),
});
export type ModelSettings = Readonly<z.infer<typeof modelSettingsSchema>>;

/** Settings that some models answer with an error, or silently ignore. */
export const refusable = ['temperature', 'topP', 'seed', 'reasoningEffort'] as const;
export type Refusable = (typeof refusable)[number];

/** What is known, or wished, about one model: an entry under `models:` in `turnwise.yaml`. */
export const modelEntrySchema = z
  .strictObject({ ...settings, refuses: z.array(z.enum(refusable)) })
  .partial();
export type ModelEntry = Readonly<z.infer<typeof modelEntrySchema>>;

export const modelEntriesSchema = z.record(z.string().min(1), modelEntrySchema);
export type ModelEntries = Readonly<z.infer<typeof modelEntriesSchema>>;

/** A model, where it is asked and with which settings. */
export const modelConfigSchema = modelSettingsSchema.extend({
  name: z.string().min(1),
  /** Where chat completions live, without `/chat/completions`. Part of no secret: keys stay with the worker. */
  baseUrl: z.url(),
  /** One call, tried once. */
  timeoutMs: z.int().positive(),
  /** Take replies to equal requests from the cache, and put new ones there. */
  cache: z.boolean().default(false),
  /** Null where nobody has said it. */
  price: priceSchema.nullable().default(null),
});
export type ModelConfig = Readonly<z.infer<typeof modelConfigSchema>>;

/** The part of a model's configuration that can change what it says. */
export const settingsThatShapeReplies = (model: ModelConfig): unknown => {
  const { name, temperature, topP, maxTokens, seed, reasoningEffort, systemRole } = model;
  return {
    name,
    temperature,
    topP,
    maxTokens,
    seed,
    reasoningEffort,
    systemRole,
    extraBody: JSON.stringify(model.extraBody),
  };
};
