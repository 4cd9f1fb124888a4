import { statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { definitionsIn, DefinitionError } from '../domain/agent/plugin-exports.js';
import type { Plugin } from '../domain/agent/plugin.js';
import { signatures } from '../domain/scoring/scorer-options.js';
import { UserError } from '../domain/user-error.js';
import type { OwnCode } from './own-code.js';
import { sha256Of } from '../storage/sha256.js';
import { PluginNotLoaded } from './plugin-threads.js';

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
  const sha256 = sha256Of(code);
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

/** What plugins import from `turnwise`: each function marks a definition with its kind. */
const library = ['action', 'method', 'scorer']
  .map((kind) => {
    const name = `define${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
    return `export const ${name} = (definition) => ({ ...definition, [Symbol.for('turnwise.definition')]: '${kind}' });`;
  })
  .join('\n');

const libraryId = 'plugin-library.turnwise';

/**
 * Makes one module of a file of the user's and of all it imports, in TypeScript or JavaScript. Only Node's own modules stay
 * outside. Its source map has the lines of the sources, and not their text. Equal sources give equal modules in every folder.
 * @throws UserError with the user's file and line
 */
export async function bundlePlugin(path: string): Promise<string> {
  const file = resolve(path);
  if (path.trim() === '') throw new UserError('--plugin needs the path of a file');
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new UserError(`plugin ${path}: there is no such file`);
  if (!found.isFile()) throw new UserError(`plugin ${path}: it is a folder; name the file in it`);
  const folder = dirname(file);
  // Read only here: it is large, and most commands have no plugin.
  const { rolldown } = await import('rolldown');
  const unresolved: string[] = [];
  try {
    const bundle = await rolldown({
      input: file,
      cwd: folder,
      platform: 'node',
      // As TypeScript has it: an import of `x.js` may be of `x.ts`.
      resolve: { extensionAlias: { '.js': ['.ts', '.tsx', '.js'], '.mjs': ['.mts', '.mjs'] } },
      plugins: [
        {
          name: 'turnwise',
          resolveId: (id) => (id === 'turnwise' ? libraryId : null),
          load: (id) => (id === libraryId ? library : null),
        },
      ],
      onLog: (_, { code, message }) => {
        if (code === 'UNRESOLVED_IMPORT') unresolved.push(message);
      },
    });
    const { output } = await bundle.generate({
      format: 'esm',
      file: join(folder, 'plugin.mjs'),
      sourcemap: true,
      codeSplitting: false,
    });
    await bundle.close();
    const [first] = unresolved;
    if (first !== undefined) throw new Error(first);
    const [{ code, map }] = output;
    if (map === null) throw new Error('it has no source map');
    const { version, sources, names, mappings } = map;
    // Rolldown gives the library a path that depends on the current folder.
    const paths = sources.map((each) => (each.endsWith(libraryId) ? libraryId : each));
    const text = JSON.stringify({ version, sources: paths, names, mappings });
    const comment = `//# sourceMappingURL=data:application/json;base64,${Buffer.from(text).toString('base64')}`;
    return `${code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '')}\n${comment}\n`;
  } catch (error) {
    throw new UserError(`plugin ${bundleProblem(error, folder, path)}`);
  }
}

/** One sentence about what rolldown says: `mine.ts:3:5: Unexpected token`. */
function bundleProblem(error: unknown, folder: string, path: string): string {
  const [{ message = String(error), loc } = {}] = (
    error instanceof Error && 'errors' in error ? error.errors : [error]
  ) as readonly {
    readonly message?: string;
    readonly loc?: { readonly file?: string; readonly line: number; readonly column: number };
  }[];
  const lines = stripVTControlCharacters(message).split('\n');
  const text = (lines[0] ?? '').replace(/^\[\w+\] /, '').replace(/\.$/, '');
  const [, file, line, column] =
    lines.map((each) => /\[ (\S+?):(\d+):(\d+) \]/.exec(each)).find((each) => each !== null) ?? [];
  const shown = text.replace(`"${libraryId}"`, 'turnwise');
  if (file === undefined) {
    const at = loc?.file === undefined ? path : join(dirname(path), relative(folder, loc.file));
    return `${at}${loc === undefined ? '' : `:${loc.line}`}: ${shown}`;
  }
  return `${join(dirname(path), relative(folder, resolve(folder, file)))}:${line}:${column}: ${shown}`;
}
