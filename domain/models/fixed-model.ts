import type { ModelConfig } from './model-config.js';

/** The part of a model's configuration that can change what it says. */
export const fixedModel = (model: ModelConfig): unknown => {
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
