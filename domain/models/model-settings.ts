import { z } from 'zod';
import { modelApis } from '../model-api.js';
import { batchShare, priceSchema, timesPrice, type Price } from './usage.js';

/** OpenAI's names. A model may accept only some of them. */
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
 * The role of the system message. `merged` puts it at the beginning of the first user message, for chat templates without a
 * system role that refuse two consecutive user messages.
 */
const systemRoles = ['system', 'developer', 'user', 'merged'] as const;

const tokenLimitFields = ['max_tokens', 'max_completion_tokens'] as const;

const settings = {
  /** The API in which the model is asked. */
  api: z.enum(modelApis),
  temperature: z.number().min(0).max(2),
  topP: z.number().gt(0).max(1),
  /** Limit of one completion, hidden reasoning included. */
  maxTokens: z.int().positive(),
  seed: z.int(),
  reasoningEffort: z.enum(reasoningEfforts),
  systemRole: z.enum(systemRoles),
  tokenLimitField: z.enum(tokenLimitFields),
  /** Whether the model supports a JSON schema for its reply (`response_format`). Judges use it. */
  structuredReplies: z.boolean(),
  /** Whether the reply comes piece by piece, for gateways that cut connections on which nothing comes. */
  stream: z.boolean(),
  /** Added to every request unchanged, for parameters of particular servers (`chat_template_kwargs`). */
  extraBody: z.record(z.string(), z.json()),
};

/** The settings of a request. Null: left out, or chosen by the endpoint's host name (`tokenLimitField`). */
const modelSettingsSchema = z.object({
  api: settings.api.default('chat'),
  temperature: settings.temperature.nullable(),
  topP: settings.topP.nullable(),
  maxTokens: settings.maxTokens,
  seed: settings.seed.nullable().default(null),
  reasoningEffort: settings.reasoningEffort.nullable().default(null),
  systemRole: settings.systemRole.default('system'),
  tokenLimitField: settings.tokenLimitField.nullable().default(null),
  structuredReplies: settings.structuredReplies.default(false),
  stream: settings.stream.default(false),
  extraBody: settings.extraBody.default({}),
});
export type ModelSettings = Readonly<z.infer<typeof modelSettingsSchema>>;

/** Settings that some models refuse or ignore. */
const refusable = ['temperature', 'topP', 'seed', 'reasoningEffort'] as const;
export type Refusable = (typeof refusable)[number];

/** The settings of one model: an entry under `models:` in `turnwise.yaml`. */
export const modelEntrySchema = z
  .strictObject({ ...settings, refuses: z.array(z.enum(refusable)) })
  .partial();
export type ModelEntry = Readonly<z.infer<typeof modelEntrySchema>>;

export const modelEntriesSchema = z.record(z.string().min(1), modelEntrySchema);
export type ModelEntries = Readonly<z.infer<typeof modelEntriesSchema>>;

/** A model with its address and settings. */
export const modelConfigSchema = modelSettingsSchema.extend({
  name: z.string().min(1),
  /** The address of the API, without the path of a call. It contains no secret: keys stay with the worker. */
  baseUrl: z.url(),
  /** The timeout of one attempt. */
  timeoutMs: z.int().positive(),
  /** Whether replies to equal requests come from the cache, and new replies are stored there. */
  cache: z.boolean().default(false),
  /** Null when the price is unknown. Of a call in a batch where calls are sent in batches. */
  price: priceSchema.nullable().default(null),
  /** Calls are collected and sent in batches. Absent for calls that are sent at once. */
  batch: z
    .object({
      /** A batch is sent that no call was added to for so long, and looked at first after so long. */
      pauseMs: z.int().positive(),
    })
    .optional(),
});
export type ModelConfig = Readonly<z.infer<typeof modelConfigSchema>>;

/** The same model asked in batches, which costs half. Nothing comes piece by piece then. */
export const inBatches = (model: ModelConfig, batch: ModelConfig['batch']): ModelConfig =>
  batch === undefined
    ? model
    : { ...model, batch, stream: false, price: model.price && timesPrice(model.price, batchShare) };

/** What one call costs that is sent at once. */
export const priceAtOnce = ({
  price,
  batch,
}: Pick<ModelConfig, 'price' | 'batch'>): Price | null =>
  price && batch ? timesPrice(price, 1 / batchShare) : price;

/** The part of a model's configuration that can change its replies. */
export const settingsThatShapeReplies = (model: ModelConfig): unknown => {
  const { name, api, temperature, topP, maxTokens, seed, reasoningEffort, systemRole } = model;
  return {
    name,
    api,
    temperature,
    topP,
    maxTokens,
    seed,
    reasoningEffort,
    systemRole,
    extraBody: JSON.stringify(model.extraBody),
  };
};
