import { z } from 'zod';
import { methodNames } from '../methods/method-names.js';

export const modelConfigSchema = z.object({
  name: z.string().min(1),
  /** Where chat completions live, without `/chat/completions`. Part of no secret: keys stay with the worker. */
  baseUrl: z.url(),
  temperature: z.number().min(0).max(2),
  topP: z.number().gt(0).max(1),
  maxTokens: z.int().positive(),
  /** One call, tried once. */
  timeoutMs: z.int().positive(),
});
export type ModelConfig = Readonly<z.infer<typeof modelConfigSchema>>;

/**
 * How a run is done. What can change an answer is fixed at its start (`fixedConfig`);
 * the rest may differ each time it is continued.
 */
export const runConfigSchema = z.object({
  method: z.enum(methodNames),
  model: modelConfigSchema,
  /** Tries of one model call before its question ends as `infra-error`. */
  modelAttempts: z.int().min(1).max(1000),
  /** One SQL statement or search; then the model is told that it took too long. */
  toolTimeoutMs: z.int().min(1).max(120_000),
  maxTurns: z.int().min(1).max(100),
  /** Turns of history sent beside the system and task messages; 0 sends none. */
  windowSize: z.int().min(0).max(100),
  /** Parse and render exactly as the reference does, its weaknesses included. */
  strict: z.boolean(),
  epochs: z.int().min(1).max(1000),
  /** Questions in flight. */
  concurrency: z.int().min(1).max(2000),
});
export type RunConfig = Readonly<z.infer<typeof runConfigSchema>>;

/** The reference's sampling settings, window and cap (hybrid-agent.md §4.1). */
export const defaultRunConfig = {
  method: 'hybrid_react',
  modelAttempts: 8,
  toolTimeoutMs: 60_000,
  maxTurns: 20,
  windowSize: 5,
  strict: false,
  epochs: 1,
  concurrency: 20,
  model: { temperature: 0.7, topP: 0.95, maxTokens: 1500, timeoutMs: 300_000 },
} as const;

/** The part of a configuration that must stay the same while a run is continued. */
export function fixedConfig(config: RunConfig): unknown {
  const { method, model, maxTurns, windowSize, strict, epochs } = config;
  const { name, temperature, topP, maxTokens } = model;
  return {
    method,
    model: { name, temperature, topP, maxTokens },
    maxTurns,
    windowSize,
    strict,
    epochs,
  };
}
