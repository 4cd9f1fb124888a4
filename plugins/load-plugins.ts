import { definitionsIn, DefinitionError } from '../domain/agent/plugin-exports.js';
import type { Plugin } from '../domain/agent/plugin.js';
import { signatures } from '../domain/scoring/scorer-options.js';
import { UserError } from '../domain/user-error.js';
import { bundlePlugin } from './bundle-plugin.js';
import type { OwnCode } from './own-code.js';
import { hashOf, PluginNotLoaded } from './plugin-threads.js';

/** A plugin with its code, as one module. */
export interface LoadedPlugin {
  readonly plugin: Plugin;
  readonly code: string;
}

/**
 * Loads modules of the user's, and reads what they define.
 * @throws UserError where one cannot be loaded, or two define the same
 */
export async function loadPlugins(
  paths: readonly string[],
  ownCode: Pick<OwnCode, 'exportsOf'>,
): Promise<readonly LoadedPlugin[]> {
  const loaded: LoadedPlugin[] = [];
  for (const path of paths) {
    const next = await loadPlugin(path, ownCode);
    for (const { plugin } of loaded) requireDifferent(plugin, next.plugin);
    loaded.push(next);
  }
  return loaded;
}

async function loadPlugin(
  path: string,
  ownCode: Pick<OwnCode, 'exportsOf'>,
): Promise<LoadedPlugin> {
  const code = await bundlePlugin(path);
  const sha256 = hashOf(code);
  try {
    const exported = await ownCode.exportsOf({ path, sha256 }, code);
    const definitions = definitionsIn(exported, (name) => signatures.has(name));
    return { plugin: { path, sha256, ...definitions }, code };
  } catch (error) {
    if (error instanceof PluginNotLoaded) throw new UserError(`plugin ${error.message}`);
    if (error instanceof DefinitionError) throw new UserError(`plugin ${path}: ${error.message}`);
    throw error;
  }
}

function requireDifferent(one: Plugin, other: Plugin): void {
  const names = ({ scorers, actions, methods }: Plugin): readonly string[] => [
    ...scorers.map((name) => `scorer ${name}`),
    ...actions.map((name) => `action ${name}`),
    ...Object.keys(methods).map((name) => `method ${name}`),
  ];
  const both = names(other).find((name) => names(one).includes(name));
  if (both === undefined) return;
  throw new UserError(`plugins ${one.path} and ${other.path} both define ${both}`);
}
