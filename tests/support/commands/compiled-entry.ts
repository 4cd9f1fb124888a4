import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';

const root = resolve(import.meta.dirname, '../../..');

/**
 * The entry of a process or thread and what it imports, as plain JavaScript: Node starts no TypeScript, and tests build
 * nothing first.
 * @param others - entries that it starts as processes of their own
 */
export function compiledEntry(
  source: string,
  ...others: readonly string[]
): {
  readonly entry: URL;
  readonly remove: () => void;
} {
  const out = mkdtempSync(join(tmpdir(), 'turnwise-entry-'));
  writeFileSync(join(out, 'package.json'), JSON.stringify({ type: 'module' }));
  symlinkSync(join(root, 'node_modules'), join(out, 'node_modules'), 'junction');

  const target = (file: string): string => join(out, relative(root, file)).replace(/\.ts$/, '.js');
  const done = new Set<string>();
  const compile = (file: string): void => {
    if (done.has(file)) return;
    done.add(file);
    const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2023,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
      },
    });
    mkdirSync(dirname(target(file)), { recursive: true });
    writeFileSync(target(file), outputText);
    for (const { fileName } of ts.preProcessFile(outputText).importedFiles) {
      if (fileName.startsWith('.')) {
        compile(resolve(dirname(file), fileName.replace(/\.js$/, '.ts')));
      }
    }
  };

  const file = join(root, source);
  for (const each of [source, ...others]) compile(join(root, each));
  return {
    entry: pathToFileURL(target(file)),
    remove: () => rmSync(out, { recursive: true, force: true }),
  };
}
