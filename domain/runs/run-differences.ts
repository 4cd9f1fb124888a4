import { fixedConfig } from './run-config.js';
import type { RunManifest } from './run-manifest.js';

type Comparable = Pick<RunManifest, 'dataset' | 'store' | 'config' | 'versions'>;

/** In what a run to be continued differs from the run it was: one line each, empty where it is the same run. */
export function runDifferences(before: Comparable, now: Comparable): readonly string[] {
  return [
    ...differences('dataset', before.dataset.fingerprint, now.dataset.fingerprint),
    ...differences('store', before.store.name, now.store.name),
    ...differences('contents of the store', before.store.fingerprint, now.store.fingerprint),
    ...differences('prompts', before.versions.prompts, now.versions.prompts),
    ...(now.config.judging === null
      ? []
      : differences('prompts of judges', before.versions.judgePrompts, now.versions.judgePrompts)),
    ...differences('schema', before.versions.schema, now.versions.schema),
    // A price that was not known then changes no cost that is.
    ...(before.config.model.price === null
      ? []
      : differences('price', before.config.model.price, now.config.model.price)),
    ...differences('configuration', fixedConfig(before.config), fixedConfig(now.config)),
  ];
}

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
