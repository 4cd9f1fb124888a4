import { exactJson } from '../formats/json.js';
import { said } from '../formats/text.js';
import type { SampleKey } from '../ids.js';
import type { DatasetItem } from '../scoring/dataset-item.js';
import { sampleKeysOf } from './dataset.js';
import { shapesConversations, type Plugin } from '../agent/plugin.js';
import { fixedConfig } from './run-config.js';
import type { RunManifest } from './run-manifest.js';

type Comparable = Pick<
  RunManifest,
  'dataset' | 'store' | 'databases' | 'config' | 'versions' | 'scorerFiles'
>;

/** The differences that prevent a run from being continued: one line each, empty if there are none. */
export function runDifferences(before: Comparable, now: Comparable): readonly string[] {
  return said([
    differences('dataset', before.dataset.fingerprint, now.dataset.fingerprint),
    differences('store', before.store?.name, now.store?.name),
    differences('contents of the store', before.store?.fingerprint, now.store?.fingerprint),
    differences('databases', before.databases, now.databases),
    differences('prompts', before.versions.prompts, now.versions.prompts),
    now.config.judging !== null &&
      differences('prompts of judges', before.versions.judgePrompts, now.versions.judgePrompts),
    differences('schema', before.versions.schema, now.versions.schema),
    // A price may be added, as no cost was computed without one.
    before.config.model.price !== null &&
      differences('price', before.config.model.price, now.config.model.price),
    differences('configuration', fixedConfig(before.config), fixedConfig(now.config)),
    pluginDifferences(before.config.plugins, now.config.plugins),
    scorerDifferences(before.scorerFiles ?? {}, now.scorerFiles ?? {}),
  ]);
}

/** By the names of their files: the same file may be given by another path. */
function pluginDifferences(before: readonly Plugin[], now: readonly Plugin[]): readonly string[] {
  const same = (a: Plugin, b: Plugin): boolean => nameOf(a) === nameOf(b);
  return [
    ...before.flatMap((plugin) => {
      const present = now.find((each) => same(each, plugin));
      if (present === undefined) return [`plugin ${plugin.path}: was given, is missing`];
      if (present.sha256 === plugin.sha256) return [];
      return [changedText(`plugin ${present.path}`, plugin.sha256, present.sha256)];
    }),
    ...now
      .filter((plugin) => !before.some((each) => same(each, plugin)))
      .map(({ path }) => `plugin ${path}: was not given, is given`),
  ];
}

/** Of the files that are in both: another machine may not have those of the workers. */
const scorerDifferences = (
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): readonly string[] =>
  Object.entries(now).flatMap(([path, is]) => {
    const was = before[path];
    return was === undefined || was === is ? [] : [changedText(`scorer program ${path}`, was, is)];
  });

const changedText = (what: string, was: string, is: string): string =>
  `${what}: its code has changed, was ${was.slice(0, 8)}, is ${is.slice(0, 8)}`;

const nameOf = ({ path }: Plugin): string => path.split(/[\\/]/).at(-1) ?? path;

function differences(what: string, before: unknown, now: unknown): string[] {
  if (isRecord(before) && isRecord(now)) {
    return Object.keys({ ...before, ...now }).flatMap((key) =>
      differences(`${what}: ${key}`, before[key], now[key]),
    );
  }
  return before === now
    ? []
    : [`${what}: was ${JSON.stringify(before)}, is ${JSON.stringify(now)}`];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

export interface RunAndItems {
  readonly manifest: Comparable;
  readonly items: readonly DatasetItem[];
}

/**
 * The samples of the run `now` that can take over their conversations from the run `before`, because all inputs of their
 * prompts are equal. Evaluators, judges, tags, prices, the other questions and the number of epochs may differ.
 */
export function keptSamples(before: RunAndItems, now: RunAndItems): readonly SampleKey[] {
  const { dataset, config, versions } = now.manifest;
  // A scorer changes no conversation.
  const withoutScorers = <Of extends Comparable>(of: Of): Of => ({
    ...of,
    scorerFiles: {},
    config: { ...of.config, plugins: of.config.plugins.filter(shapesConversations) },
  });
  const comparable = {
    ...before.manifest,
    dataset,
    versions: { ...before.manifest.versions, judgePrompts: versions.judgePrompts },
    config: {
      ...before.manifest.config,
      epochs: config.epochs,
      judging: config.judging,
      model: { ...before.manifest.config.model, price: config.model.price },
    },
  };
  if (runDifferences(withoutScorers(comparable), withoutScorers(now.manifest)).length > 0)
    return [];
  const asked = new Map(before.items.map((item) => [item.uuid, promptFieldsOf(item)]));
  const same = now.items.filter((item) => asked.get(item.uuid) === promptFieldsOf(item));
  const epochs = Math.min(before.manifest.config.epochs, config.epochs);
  return sampleKeysOf(same, epochs).map(({ uuid, epoch }) => ({ uuid, epoch }));
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
