import type { ModelEntries, ModelEntry, ModelSettings, Refusable } from './model-settings.js';

/** What may follow a model's own name and leave it the same model: dates, build numbers, `latest`, `preview`. */
const edition = /^(?:[-@](?:\d{3,8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{2,4}|latest|preview|exp))*$/;

/**
 * The entry for a model in a table by name. A key stands for the model of that name in every edition
 * (`gpt-4o` for `gpt-4o-2024-08-06`, not for `gpt-4o-mini`); one that ends in `*` for all names that begin so.
 * The longest key that fits wins. Capitals do not count; a maker before the last `/` may be left out of the key.
 */
export function matchModel<T>(entries: Readonly<Record<string, T>>, name: string): T | undefined {
  const whole = name.toLowerCase();
  const bare = whole.slice(whole.lastIndexOf('/') + 1);
  return longestFit(entries, whole) ?? longestFit(entries, bare);
}

function longestFit<T>(entries: Readonly<Record<string, T>>, name: string): T | undefined {
  let longest = -1;
  let found: T | undefined;
  for (const [key, entry] of Object.entries(entries)) {
    const stem = key.toLowerCase().replace(/\*$/, '');
    if (stem.length <= longest || !name.startsWith(stem)) continue;
    if (!key.endsWith('*') && !edition.test(name.slice(stem.length))) continue;
    longest = stem.length;
    found = entry;
  }
  return found;
}

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
const knownModels: ModelEntries = {
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
const referenceModels: ModelEntries = {
  'deepseek*': { temperature: 0.6, systemRole: 'user' },
};

export type ResolvedSettings =
  | { readonly kind: 'resolved'; readonly settings: ModelSettings }
  | { readonly kind: 'refused'; readonly setting: Refusable };

/**
 * The settings of a model: what the user asked for on the command line, else what `turnwise.yaml` says, else what is
 * known of the model, else `defaults`. What a model refuses is left out, unless the file sets it: its author knows better.
 * Asking for it on the command line is `refused`.
 */
export function resolveSettings(
  name: string,
  {
    asked,
    entries,
    defaults,
    strict,
  }: {
    readonly asked: ModelEntry;
    readonly entries: ModelEntries;
    readonly defaults: ModelSettings;
    readonly strict: boolean;
  },
): ResolvedSettings {
  const wished = matchModel(entries, name) ?? {};
  const known: ModelEntry = {
    ...matchModel(knownModels, name),
    ...(strict && matchModel(referenceModels, name)),
  };
  const refuses = (wished.refuses ?? known.refuses ?? []).filter(
    (setting) => wished[setting] === undefined,
  );
  const setting = refuses.find((one) => asked[one] !== undefined);
  if (setting !== undefined) return { kind: 'refused', setting };

  const layers = [asked, wished, known];
  const first = <K extends keyof ModelEntry>(key: K): ModelEntry[K] =>
    layers.find((layer) => layer[key] !== undefined)?.[key];
  const unlessRefused = <T>(key: Refusable, value: T): T | null =>
    refuses.includes(key) ? null : value;
  return {
    kind: 'resolved',
    settings: {
      temperature: unlessRefused('temperature', first('temperature') ?? defaults.temperature),
      topP: unlessRefused('topP', first('topP') ?? defaults.topP),
      maxTokens: first('maxTokens') ?? defaults.maxTokens,
      seed: unlessRefused('seed', first('seed') ?? defaults.seed),
      reasoningEffort: unlessRefused(
        'reasoningEffort',
        first('reasoningEffort') ?? defaults.reasoningEffort,
      ),
      systemRole: first('systemRole') ?? defaults.systemRole,
      tokenLimitField: first('tokenLimitField') ?? defaults.tokenLimitField,
      structuredReplies: first('structuredReplies') ?? defaults.structuredReplies,
      extraBody: first('extraBody') ?? defaults.extraBody,
    },
  };
}
