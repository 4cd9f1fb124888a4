import { z } from 'zod';
import { scriptSchema } from './script.js';

/**
 * Faults of an admitted request: an error status, a connection that is reset or never answered, or a reply with status 200
 * that is not a valid completion.
 */
export const faultNames = [
  '429',
  '500',
  '503',
  'reset',
  'hang',
  'malformed-json',
  'html',
  'empty-content',
  'null-content',
] as const;
export type FaultName = (typeof faultNames)[number];

const fraction = z.number().min(0).max(1);

export const simulatorOptionsSchema = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  /** 0 for any free port. */
  port: z.int().min(0).max(65535).default(0),
  seed: z.int().default(1),
  /** A script, or the path of a file that holds one. */
  script: z.union([z.string().min(1), scriptSchema]).prefault({}),
  latencyMs: z.number().min(0).default(0),
  /** Latencies are uniformly distributed over `latencyMs` ± this fraction of it. */
  jitter: fraction.default(0),
  requestsPerMinute: z.number().positive().optional(),
  /** Prompt and completion tokens together, as the simulator estimates them. */
  tokensPerMinute: z.number().positive().optional(),
  /** How many seconds' worth of a limit may be used at once after a pause. */
  burstSeconds: z.number().positive().default(10),
  /** `bucket`: the allowance refills continuously. `minute`: it is available in full at the start of each minute. */
  limitKind: z.enum(['bucket', 'minute']).default('bucket'),
  /** After `afterSeconds` both limits are `factor` times their initial value. */
  limitChanges: z
    .array(z.strictObject({ afterSeconds: z.number().min(0), factor: z.number().positive() }))
    .default([]),
  /** Which headers replies carry about the limits: all, `Retry-After` only, or none. */
  limitHeaders: z.enum(['all', 'retry-after', 'none']).default('all'),
  /** Whether the message of a 429 states the limit and the waiting time, as OpenAI's does. */
  limitInBody: z.boolean().default(false),
  /** The `Retry-After` of the faults `429` and `503`. A 429 of a limit states the time until the request is admitted. */
  retryAfterMs: z.number().positive().default(1000),
  /** The share of admitted requests that meets each fault. */
  faults: z
    .partialRecord(z.enum(faultNames), fraction)
    .refine((rates) => Object.values(rates).reduce((sum, rate) => sum + rate, 0) <= 1, {
      message: 'the rates of all faults together must not exceed 1',
    })
    .default({}),
  /** The share of questions whose requests all fail with status 500, however often they are retried. */
  failingQuestions: fraction.default(0),
  /** The share of answers for which the judge gives the opposite verdict. */
  judgeDisagrees: fraction.default(0),
  /** The share of answers for which the judge gives an unreadable verdict. */
  judgeUnreadable: fraction.default(0),
  /** Billed for each picture of a request. */
  tokensPerPicture: z.int().nonnegative().default(0),
  /** Prompt tokens billed for each token that the simulator counts in the text of a request. */
  textTokenRatio: z.number().positive().default(1),
  /** The share of uncached prompt tokens that is written to the provider's cache. */
  cacheWrites: fraction.default(0),
  /** Whether prompts are cached by prefix, as at OpenAI, from their reply on. Else all turns but the first are cached. */
  prefixCache: z.boolean().default(false),
  /** How long a batch takes. Its calls meet no limits. */
  batchMs: z.number().min(0).default(1000),
  /** So many submissions of batches are refused with 429, the first ones. */
  refusedBatches: z.int().min(0).default(0),
  /** Of so many batches, the first ones, the second half of the calls expires. */
  expiringBatches: z.int().min(0).default(0),
  /** The models that `GET /v1/models` lists. Requests may name any model. */
  models: z.array(z.string().min(1)).default(['simulated-model']),
  embeddingDimensions: z.int().min(1).max(8192).default(384),
  /** A log file: a JSON line for each request, and one for each reply before it is sent. */
  log: z.string().min(1).optional(),
});
export type SimulatorOptions = Readonly<z.infer<typeof simulatorOptionsSchema>>;
/** All options are optional. */
export type SimulatorSettings = z.input<typeof simulatorOptionsSchema>;
