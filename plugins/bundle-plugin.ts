import { statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { UserError } from '../domain/user-error.js';

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
