import { z } from 'zod';
import { modelApis } from './model-api.js';

const api = z.enum(modelApis);

/** What asking a model endpoint for its models came to. It never holds the key. */
export const modelEndpointSchema = z.discriminatedUnion('kind', [
  /** Nothing is configured. */
  z.object({ kind: z.literal('unset'), api }),
  z.object({ kind: z.literal('answered'), api, url: z.string(), httpStatus: z.int() }),
  z.object({ kind: z.literal('unreachable'), api, url: z.string(), reason: z.string() }),
]);
export type ModelEndpoint = Readonly<z.infer<typeof modelEndpointSchema>>;

/** Those that are configured; that of chat completions if none is. */
export const modelEndpointsSchema = z.object({
  /** A worker makes the calls, with the key that it has. `here`: no worker runs, and the settings of the command count. */
  askedBy: z.enum(['worker', 'here']),
  endpoints: z.array(modelEndpointSchema).readonly(),
});
export type AskedEndpoints = Readonly<z.infer<typeof modelEndpointsSchema>>;
