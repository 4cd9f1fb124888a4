import { apiFacts, type ModelApi } from '../model-api.js';
import type { ModelEntries, ModelEntry, ModelSettings, Refusable } from './model-settings.js';
import type { Price, PriceTable } from './usage.js';

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

const usd = (input: number, output: number, cachedInput?: number): Price => ({
  input,
  output,
  ...(cachedInput !== undefined && { cachedInput }),
});

/** Without cache writes. */
const readPrices: PriceTable = {
  'gpt-3.5-turbo': usd(0.5, 1.5),
  'gpt-3.5-turbo-0301': usd(1.5, 2),
  'gpt-3.5-turbo-0613': usd(1.5, 2),
  'gpt-3.5-turbo-1106': usd(1, 2),
  'gpt-3.5-turbo-16k': usd(3, 4),
  'gpt-3.5-turbo-instruct': usd(1.5, 2),
  'gpt-4': usd(30, 60),
  'gpt-4-32k': usd(60, 120),
  'gpt-4-0125-preview': usd(10, 30),
  'gpt-4-1106-preview': usd(10, 30),
  'gpt-4-1106-vision-preview': usd(10, 30),
  'gpt-4-vision-preview': usd(10, 30),
  'gpt-4-turbo': usd(10, 30),
  'chatgpt-4o-latest': usd(5, 15),
  'gpt-4o': usd(2.5, 10, 1.25),
  'gpt-4o-2024-05-13': usd(5, 15),
  'gpt-4o-mini': usd(0.15, 0.6, 0.075),
  'gpt-4.1': usd(2, 8, 0.5),
  'gpt-4.1-mini': usd(0.4, 1.6, 0.1),
  'gpt-4.1-nano': usd(0.1, 0.4, 0.025),
  'gpt-4.5-preview': usd(75, 150, 37.5),
  'gpt-5': usd(1.25, 10, 0.125),
  'gpt-5-chat': usd(1.25, 10, 0.125),
  'gpt-5-codex': usd(1.25, 10, 0.125),
  'gpt-5-mini': usd(0.25, 2, 0.025),
  'gpt-5-nano': usd(0.05, 0.4, 0.005),
  'gpt-5-pro': usd(15, 120),
  'gpt-5.1': usd(1.25, 10, 0.125),
  'gpt-5.2': usd(1.75, 14, 0.175),
  'gpt-5.2-pro': usd(21, 168),
  'gpt-5.3': usd(1.75, 14, 0.175),
  'gpt-5.4': usd(2.5, 15, 0.25),
  'gpt-5.4-mini': usd(0.75, 4.5, 0.075),
  'gpt-5.4-nano': usd(0.2, 1.25, 0.02),
  'gpt-5.4-pro': usd(30, 180),
  'gpt-5.5': usd(5, 30, 0.5),
  'gpt-5.5-pro': usd(30, 180),
  'gpt-5.6-luna': usd(0.2, 1.2, 0.02),
  'gpt-5.6-terra': usd(2, 12, 0.2),
  'gpt-5.6-sol': usd(4, 20, 0.4),
  'gpt-6-luna': usd(0.1, 0.5, 0.01),
  'gpt-6-sol': usd(2, 10, 0.2),
  'gpt-6-astra': usd(10, 50, 1),
  o1: usd(15, 60, 7.5),
  'o1-mini': usd(1.1, 4.4, 0.55),
  'o1-preview': usd(15, 60, 7.5),
  'o1-pro': usd(150, 600),
  o3: usd(2, 8, 0.5),
  'o3-mini': usd(1.1, 4.4, 0.55),
  'o3-pro': usd(20, 80),
  'o4-mini': usd(1.1, 4.4, 0.275),

  'claude-3-haiku': usd(0.25, 1.25, 0.03),
  'claude-3-opus': usd(15, 75, 1.5),
  'claude-3-5-haiku': usd(0.8, 4, 0.08),
  'claude-3-5-sonnet': usd(3, 15, 0.3),
  'claude-3-7-sonnet': usd(3, 15, 0.3),
  'claude-haiku-4-5': usd(1, 5, 0.1),
  'claude-opus-4': usd(15, 75, 1.5),
  'claude-opus-4-0': usd(15, 75, 1.5),
  'claude-opus-4-1': usd(15, 75, 1.5),
  'claude-opus-4-5': usd(5, 25, 0.5),
  'claude-opus-4-6': usd(5, 25, 0.5),
  'claude-opus-4-7': usd(5, 25, 0.5),
  'claude-opus-4-8': usd(5, 25, 0.5),
  'claude-opus-5': usd(5, 25, 0.5),
  'claude-opus-5-5': usd(4, 20, 0.2),
  'claude-sonnet-4': usd(3, 15, 0.3),
  'claude-sonnet-4-0': usd(3, 15, 0.3),
  'claude-sonnet-4-5': usd(3, 15, 0.3),
  'claude-sonnet-4-6': usd(3, 15, 0.3),
  'claude-sonnet-5': usd(2, 10, 0.2),
  'claude-fable-5': usd(10, 50, 1),
  'claude-fable-5-1': usd(10, 50, 0.25),

  'gemini-1.5-flash': usd(0.075, 0.3, 0.01875),
  'gemini-1.5-pro': usd(1.25, 5),
  'gemini-2.0-flash': usd(0.1, 0.4, 0.025),
  'gemini-2.0-flash-lite': usd(0.075, 0.3),
  'gemini-2.5-flash': usd(0.3, 2.5, 0.03),
  'gemini-2.5-flash-lite': usd(0.1, 0.4, 0.01),
  'gemini-2.5-pro': usd(1.25, 10, 0.125),
  'gemini-3-flash': usd(0.5, 3, 0.05),
  'gemini-3-pro': usd(2, 12, 0.2),
  'gemini-3.1-flash-lite': usd(0.25, 1.5, 0.025),
  'gemini-3.1-pro': usd(2, 12, 0.2),
  'gemini-3.5-flash': usd(1.5, 9, 0.15),
  'gemini-3.5-flash-lite': usd(0.3, 2.5, 0.03),

  'deepseek-chat': usd(0.27, 1.1, 0.07),
  'deepseek-reasoner': usd(0.55, 2.19, 0.14),
  'deepseek-v4-flash': usd(0.44, 1.32, 0.014),
  'deepseek-v4-pro': usd(1.32, 3.96, 0.044),
  'grok-3': usd(3, 15, 0.75),
  'grok-3-mini': usd(0.3, 0.5, 0.075),
  'grok-4': usd(3, 15, 0.75),
  'grok-4.3': usd(1.25, 2.5, 0.2),
  'grok-4.5': usd(2, 6, 0.3),
  'mistral-large-2411': usd(2, 6),
  'mistral-large-2512': usd(0.5, 1.5, 0.05),
  'mistral-medium-3-5': usd(1.5, 7.5, 0.15),
  'mistral-small-2603': usd(0.15, 0.6, 0.015),
  'magistral-medium': usd(2, 5),
  'kimi-k2.6': usd(0.95, 4, 0.16),
  'kimi-k3': usd(3, 15, 0.3),
};

/**
 * OpenAI bills cache writes from GPT-5.6 on, Anthropic by the time for which the cache is kept.
 * @param name - of the model; gateways put a vendor or a region before it
 */
function withCacheWrites(name: string, price: Price): Price {
  const { input } = price;
  if (/(^|[./])claude-/i.test(name)) {
    return { ...price, cacheWrite: 1.25 * input, cacheWriteHour: 2 * input };
  }
  return /(^|\/)gpt-(5\.6|6)-/i.test(name) ? { ...price, cacheWrite: 1.25 * input } : price;
}

/**
 * List prices of well-known models on 2026-09-23, in US dollars per million tokens. `prices:` in `turnwise.yaml` overrides
 * them. A price that depends on the prompt's length is that of the shortest prompts; one that depends on the time of day is
 * the highest. What a cache write costs follows from the vendor's rule, see `withCacheWrites`.
 */
export const listPrices: PriceTable = Object.fromEntries(
  Object.entries(readPrices).map(([name, price]) => [name, withCacheWrites(name, price)]),
);

/**
 * The price of a model: the user's setting, with the vendor's rule for cache writes where it names none, else the list price.
 * Null when it is unknown, and for a server in a private network without a user's setting, because list prices do not apply
 * there.
 */
export function priceOf(
  { name, baseUrl }: { readonly name: string; readonly baseUrl: string },
  own: PriceTable,
): Price | null {
  const owned = matchModel(own, name);
  if (owned !== undefined) return { ...withCacheWrites(name, owned), ...owned };
  return isPrivate(new URL(baseUrl).hostname) ? null : (matchModel(listPrices, name) ?? null);
}

/** Loopback addresses, the private ranges of RFC 1918 and RFC 4193, and names that no public server has. */
function isPrivate(host: string): boolean {
  return (
    /^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\.\d|^0\.0\.0\.0$/.test(host) ||
    /^\[(::1|f[cd][0-9a-f]{2}:.*)\]$/.test(host) ||
    !/[.:]/.test(host) ||
    /\.(local|localhost|internal|lan)$/.test(host)
  );
}
