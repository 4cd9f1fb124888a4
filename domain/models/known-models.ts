import { apiFacts, type ModelApi } from '../model-api.js';
import type { ModelEntries, ModelEntry, ModelSettings, Refusable } from './model-settings.js';

/** Suffixes that name an edition of the same model: dates, build numbers, `latest`, `preview`. */
const edition = /^(?:[-@](?:\d{3,8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{2,4}|latest|preview|exp))*$/;

/**
 * Finds the entry for a model. A key matches every edition of the model (`gpt-4o` matches `gpt-4o-2024-08-06`, but not
 * `gpt-4o-mini`). A key that ends in `*` matches all names with this prefix. The longest matching key wins. Case is ignored,
 * and the key may leave out the part before the last `/`.
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

/** Hidden reasoning counts towards `maxTokens`, so these models need a higher limit. */
const reasoning: ModelEntry = {
  refuses: ['temperature', 'topP'],
  tokenLimitField: 'max_completion_tokens',
  maxTokens: 16_000,
  structuredReplies: true,
};

/** Models that reason on request only, and accept the sampling settings otherwise. */
const reasoningOnDemand: ModelEntry = {
  tokenLimitField: 'max_completion_tokens',
  structuredReplies: true,
};

/** Anthropic's models accept one of temperature and top_p; later models accept neither. */
const oneSampler: ModelEntry = { refuses: ['topP', 'seed'] };
const noSampler: ModelEntry = { refuses: ['temperature', 'topP', 'seed'], maxTokens: 16_000 };

/** Request settings of well-known models, as of 2026-11. `turnwise.yaml` overrides them. */
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
  // DeepSeek recommends a temperature near 0.6 and no system message.
  'deepseek-r1*': { temperature: 0.6, systemRole: 'user', maxTokens: 16_000 },
  'deepseek-reasoner*': { maxTokens: 16_000 },
  'qwq*': { temperature: 0.6, maxTokens: 16_000 },
  'gemma*': { systemRole: 'merged' },
};

/** The reference system's settings for models with these names; for `--strict`. */
const referenceModels: ModelEntries = {
  'deepseek*': { temperature: 0.6, systemRole: 'user' },
};

export type ResolvedSettings =
  | { readonly kind: 'resolved'; readonly settings: ModelSettings }
  | {
      readonly kind: 'refused';
      readonly setting: Refusable;
      /** The API in which no model takes the setting; absent where it is the model that refuses. */
      readonly api?: ModelApi;
    };

/**
 * The settings of a model, in this order of precedence: command line, `turnwise.yaml`, known models, `defaults`. A setting that
 * the model refuses is left out, unless `turnwise.yaml` sets it. If the command line sets it, or either sets what the API
 * lacks, the result is `refused`.
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
  const configured = matchModel(entries, name) ?? {};
  const known: ModelEntry = {
    ...matchModel(knownModels, name),
    ...(strict && matchModel(referenceModels, name)),
  };
  const layers = [asked, configured, known];
  const first = <K extends keyof ModelEntry>(key: K): ModelEntry[K] =>
    layers.find((layer) => layer[key] !== undefined)?.[key];
  const api = first('api') ?? defaults.api;
  const { takesSeed } = apiFacts[api];
  if (!takesSeed && (asked.seed ?? configured.seed) !== undefined) {
    return { kind: 'refused', setting: 'seed', api };
  }
  const refuses = (configured.refuses ?? known.refuses ?? []).filter(
    (setting) => configured[setting] === undefined,
  );
  const setting = refuses.find((one) => asked[one] !== undefined);
  if (setting !== undefined) return { kind: 'refused', setting };

  const unlessRefused = <T>(key: Refusable, value: T): T | null =>
    refuses.includes(key) ? null : value;
  return {
    kind: 'resolved',
    settings: {
      api,
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
      stream: first('stream') ?? defaults.stream,
      extraBody: first('extraBody') ?? defaults.extraBody,
    },
  };
}
