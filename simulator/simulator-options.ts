import { z } from 'zod';
import { scriptSchema } from './script.js';

/**
 * What can go wrong with an admitted request: an error status, a connection that is reset or never answered,
 * or a reply under status 200 that is no completion.
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
  /** Latencies spread evenly over `latencyMs` ± this fraction of it. */
  jitter: fraction.default(0),
  requestsPerMinute: z.number().positive().optional(),
  /** Prompt and completion tokens together, as the simulator estimates them. */
  tokensPerMinute: z.number().positive().optional(),
  /** How many seconds' worth of a limit may be used at once after a rest. */
  burstSeconds: z.number().positive().default(10),
  /** Whether allowance flows back all the time, or comes at once at the turn of each minute. */
  limitKind: z.enum(['bucket', 'minute']).default('bucket'),
  /** After so many seconds both limits are `factor` times what they were set to. */
  limitChanges: z
    .array(z.strictObject({ afterSeconds: z.number().min(0), factor: z.number().positive() }))
    .default([]),
  /** What replies say of the limits: all there is, `Retry-After` only, or nothing. */
  limitHeaders: z.enum(['all', 'retry-after', 'none']).default('all'),
  /** What the fault `429` asks for in `Retry-After`; a true rate limit asks for the time it needs. */
  retryAfterMs: z.number().positive().default(1000),
  /** The share of admitted requests that each fault befalls. */
  faults: z
    .partialRecord(z.enum(faultNames), fraction)
    .refine((rates) => Object.values(rates).reduce((sum, rate) => sum + rate, 0) <= 1, {
      message: 'the rates of all faults together must not exceed 1',
    })
    .default({}),
  /** The share of questions to which every request fails with status 500: no try helps. */
  failingQuestions: fraction.default(0),
  /** The share of answers about which it says, as a judge, the opposite of what it finds. */
  judgeDisagrees: fraction.default(0),
  /** The share of answers about which it never says, as a judge, anything that can be read. */
  judgeUnreadable: fraction.default(0),
  /** What `GET /v1/models` lists; every name is answered. */
  models: z.array(z.string().min(1)).default(['simulated-model']),
  embeddingDimensions: z.int().min(1).max(8192).default(384),
  /** A file that gets a JSON line for each request and for each reply, before the reply is sent. */
  log: z.string().min(1).optional(),
});
export type SimulatorOptions = Readonly<z.infer<typeof simulatorOptionsSchema>>;
/** What a caller has to give: nothing. */
export type SimulatorSettings = z.input<typeof simulatorOptionsSchema>;
