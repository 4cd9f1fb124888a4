import { z } from 'zod';
import { modelSettingsSchema } from './model-entry.js';
import { priceSchema } from './price.js';

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
