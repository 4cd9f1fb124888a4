import { exactJson } from '../formats/json.js';
import { preview } from '../formats/text.js';
import type { SampleKey } from '../ids.js';
import type { DatasetItem } from '../scoring/dataset-item.js';
import { fixedJudging } from '../scoring/judging/judging-config.js';
import { sampleKeysOf } from './dataset.js';
import { shapesConversations, type Plugin } from '../agent/plugin.js';
import { fixedConfig } from './run-config.js';
import type { RunManifest } from './run-manifest.js';

/** What of a manifest can make two runs differ in their answers or scores. */
export type RunSettings = Pick<
  RunManifest,
  'dataset' | 'store' | 'databases' | 'config' | 'versions' | 'scorerFiles' | 'fromTurn'
>;

/** A setting in which two runs differ, with its values as texts. */
interface SettingChange {
  readonly setting: string;
  readonly was: string;
  readonly is: string;
}

/** The differences that prevent a run from being continued: one line each, empty if there are none. */
export const runDifferences = (before: RunSettings, now: RunSettings): readonly string[] =>
  [
    ...answerChanges(before, now),
    ...scoringChanges(before, now),
    ...changesIn('first turn asked anew', before.fromTurn, now.fromTurn),
  ].map(({ setting, was, is }) => `${setting}: was ${was}, is ${is}`);

/** All settings that may be why two runs have other answers, the limits of a question included. */
export const comparedChanges = (
  before: RunSettings,
  now: RunSettings,
): readonly SettingChange[] => [
  ...answerChanges(before, now),
  ...changesIn('', limitsIn(before), limitsIn(now)),
  ...changesIn('address of the model', hostOf(before), hostOf(now)),
];

/** At another address, a model of the same name may be another one. An address may hold secrets beside its host. */
const hostOf = ({ config }: RunSettings): string => new URL(config.model.baseUrl).host;

function limitsIn({ config }: RunSettings): unknown {
  const { toolTimeoutMs, questionBudget, questionTimeLimitMs, deadline, model } = config;
  const { structuredReplies } = model;
  return { toolTimeoutMs, questionBudget, questionTimeLimitMs, deadline, structuredReplies };
}

/** The inputs of conversations that are not the same. */
function answerChanges(before: RunSettings, now: RunSettings): readonly SettingChange[] {
  const isAsked = before.dataset.fingerprint !== now.dataset.fingerprint;
  const datasetOf = ({ dataset }: RunSettings): string =>
    `${nameOf(dataset)} ${dataset.fingerprint}`;
  const storeOf = ({ store }: RunSettings): unknown =>
    store && `${store.name} ${store.fingerprint}`;
  // The version of the prompts tells what changed texts say.
  const configOf = ({ config }: RunSettings): unknown =>
    fixedConfig({ ...config, prompts: {}, judging: null });
  const changedTexts = ({ config }: RunSettings): string =>
    Object.keys(config.prompts).toSorted().join(', ') || 'none';
  return [
    ...(isAsked ? changesIn('dataset', datasetOf(before), datasetOf(now)) : []),
    ...changesIn('store', storeOf(before), storeOf(now)),
    // Where the datasets differ, one of them may name databases that the other does not.
    ...Object.keys(before.databases).flatMap((key) =>
      key in now.databases ? changesIn('database', before.databases[key], now.databases[key]) : [],
    ),
    ...changesIn('prompts', before.versions.prompts, now.versions.prompts),
    ...changesIn('changed texts', changedTexts(before), changedTexts(now)),
    ...changesIn('schema', before.versions.schema, now.versions.schema),
    ...changesIn('', configOf(before), configOf(now)),
    ...pluginChanges(before, now, true),
  ];
}

/** What changes scores and cost, and no conversation. */
function scoringChanges(before: RunSettings, now: RunSettings): readonly SettingChange[] {
  const judgingOf = ({ config }: RunSettings): unknown =>
    config.judging && fixedJudging(config.judging);
  const { price } = before.config.model;
  return [
    ...(now.config.judging === null
      ? []
      : changesIn('prompts of judges', before.versions.judgePrompts, now.versions.judgePrompts)),
    ...changesIn('judging', judgingOf(before), judgingOf(now)),
    // A price may be added, as no cost was computed without one.
    ...(price === null ? [] : changesIn('price', price, now.config.model.price)),
    // Calls that are in batches are paid for.
    ...changesIn('batch', isBatched(before), isBatched(now)),
    ...pluginChanges(before, now, false),
    // Another machine may not have the files of the workers.
    ...Object.entries(now.scorerFiles ?? {}).flatMap(([path, is]) => {
      const was = before.scorerFiles?.[path];
      return was === undefined ? [] : changesIn(`code of scorer program ${path}`, was, is);
    }),
  ];
}

const isBatched = ({ config }: RunSettings): boolean => config.model.batch !== undefined;

/** By the names of their files: the same file may be given by another path. */
function pluginChanges(
  before: RunSettings,
  now: RunSettings,
  isOfConversations: boolean,
): readonly SettingChange[] {
  const pluginsOf = ({ config }: RunSettings): Map<string, Plugin> =>
    new Map(config.plugins.map((plugin) => [nameOf(plugin), plugin]));
  const [old, current] = [pluginsOf(before), pluginsOf(now)];
  return [...new Map([...old, ...current])].flatMap(([name, { path }]) => {
    const pair = [old.get(name), current.get(name)];
    return pair.some((each) => each && shapesConversations(each)) === isOfConversations
      ? changesIn(`code of plugin ${path}`, pair[0]?.sha256, pair[1]?.sha256)
      : [];
  });
}

const nameOf = ({ path }: { readonly path: string }): string => path.split(/[\\/]/).at(-1) ?? path;

function changesIn(setting: string, was: unknown, is: unknown): readonly SettingChange[] {
  if (isRecord(was) && isRecord(is)) {
    return Object.keys({ ...was, ...is }).flatMap((key) =>
      changesIn(setting === '' ? key : `${setting}: ${key}`, was[key], is[key]),
    );
  }
  return was === is ? [] : [{ setting, was: valueText(was), is: valueText(is) }];
}

/** Hashes shortened. */
function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? 'none');
  return preview(text.replaceAll(/\b([\da-f]{8})[\da-f]{24,}/g, '$1'), 40).replaceAll('"', '');
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

export interface RunAndItems {
  readonly manifest: RunSettings;
  readonly items: readonly DatasetItem[];
}

/**
 * The samples of the run `now` that can take over their conversations from the run `before`, because all inputs of their
 * prompts are equal. Evaluators, judges, tags, prices, the other questions and the number of epochs may differ.
 */
export function keptSamples(before: RunAndItems, now: RunAndItems): readonly SampleKey[] {
  const { dataset, config } = now.manifest;
  const { epochs: had } = before.manifest.config;
  const sameQuestions = {
    ...before.manifest,
    dataset,
    config: { ...before.manifest.config, epochs: config.epochs },
  };
  if (answerChanges(sameQuestions, now.manifest).length > 0) return [];
  const asked = new Map(before.items.map((item) => [item.uuid, promptFieldsOf(item)]));
  const same = now.items.filter((item) => asked.get(item.uuid) === promptFieldsOf(item));
  return sampleKeysOf(same, Math.min(had, config.epochs)).map(({ uuid, epoch }) => ({
    uuid,
    epoch,
  }));
}

/** The fields of an item that may be part of a prompt, sorted by name. */
const promptFieldsOf = (item: DatasetItem): string =>
  exactJson(
    Object.entries(item)
      .filter(([key]) => key !== 'evaluator' && key !== 'tags')
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

/** The name of a fork of a run: `R-fork-1`, then `R-fork-2`. */
export function forkName(run: string): string {
  const [, base = run, number = '0'] = /^(.*)-fork-(\d+)$/.exec(run) ?? [];
  const suffix = `-fork-${Number(number) + 1}`;
  return `${base.slice(0, 80 - suffix.length)}${suffix}`;
}
