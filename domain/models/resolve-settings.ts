import { knownModels, referenceModels } from './known-models.js';
import { matchModel } from './match-model.js';
import type { ModelEntries, ModelEntry, ModelSettings, Refusable } from './model-entry.js';

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
