import type { ModelEntries, ModelEntry } from './model-entry.js';

/** Hidden reasoning counts towards the token limit: with the usual one it would leave no room for the reply. */
const reasoning: ModelEntry = {
  refuses: ['temperature', 'topP'],
  tokenLimitField: 'max_completion_tokens',
  maxTokens: 16_000,
  structuredReplies: true,
};

/** Reason only when asked to; until then they take what other models take. */
const reasoningOnDemand: ModelEntry = {
  tokenLimitField: 'max_completion_tokens',
  structuredReplies: true,
};

/** Anthropic takes one of the two sampling settings, or (later models) none. */
const oneSampler: ModelEntry = { refuses: ['topP', 'seed'] };
const noSampler: ModelEntry = { refuses: ['temperature', 'topP', 'seed'], maxTokens: 16_000 };

/** What requests to well-known models must look like, as of 2026-11. `turnwise.yaml` has the last word. */
export const knownModels: ModelEntries = {
  'gpt-4o*': { structuredReplies: true },
  'gpt-4o-2024-05-13': {},
  'gpt-4.1*': { structuredReplies: true },
  'o1*': reasoning,
  'o3*': reasoning,
  'o4*': reasoning,
  'o1-mini*': {
    ...reasoning,
    refuses: ['temperature', 'topP', 'reasoningEffort'],
    systemRole: 'user',
    structuredReplies: false,
  },
  'o1-preview*': {
    ...reasoning,
    refuses: ['temperature', 'topP', 'reasoningEffort'],
    systemRole: 'user',
    structuredReplies: false,
  },
  'gpt-5*': reasoning,
  'gpt-5-chat*': reasoningOnDemand,
  'gpt-5.1*': reasoningOnDemand,
  'gpt-5.2*': reasoningOnDemand,
  'gpt-5.2-pro*': reasoning,
  'gpt-6*': reasoning,
  'codex-*': reasoning,
  'gpt-oss*': { maxTokens: 16_000 },
  'claude-opus-4-1*': oneSampler,
  'claude-opus-4-5*': oneSampler,
  'claude-opus-4-6*': oneSampler,
  'claude-sonnet-4-5*': oneSampler,
  'claude-sonnet-4-6*': oneSampler,
  'claude-haiku-4-5*': oneSampler,
  'claude-opus-4-7*': noSampler,
  'claude-opus-4-8*': noSampler,
  'claude-opus-5*': noSampler,
  'claude-sonnet-5*': noSampler,
  'claude-fable-*': noSampler,
  // Its makers' advice: a temperature near 0.6, and instructions from the user.
  'deepseek-r1*': { temperature: 0.6, systemRole: 'user', maxTokens: 16_000 },
  'deepseek-reasoner*': { maxTokens: 16_000 },
  'qwq*': { temperature: 0.6, maxTokens: 16_000 },
  'gemma*': { systemRole: 'merged' },
};

/** What the reference does to every model of that name (hybrid-agent.md §4.5); for `--strict`. */
export const referenceModels: ModelEntries = {
  'deepseek*': { temperature: 0.6, systemRole: 'user' },
};
