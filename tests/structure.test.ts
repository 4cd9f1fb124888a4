import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceFolders } from '../bin/stamps.js';

const notSource = ['tests/fixtures', 'tests/replay'];

const product = sourceFolders.flatMap((folder) => filesIn(folder));
const texts = new Map(product.map((file) => [file, readFileSync(file, 'utf8')]));
const imports = new Map(product.map((file) => [file, importsOf(file)]));

describe('the structure that no other check covers', () => {
  it('keeps every product file within 500 lines', () => {
    expect(product.filter((file) => lines(file) > 500)).toEqual([]);
  });

  it('keeps few product files that are small and have a single importer', () => {
    const small = product.filter((file) => lines(file) <= 25 && importers(file).length === 1);
    expect(small.length, small.join('\n')).toBeLessThanOrEqual(25);
  });

  it('shows at most 30 entries in a folder', () => {
    const folders = [...sourceFolders, 'tests', 'bin', 'docs'].flatMap(foldersIn);
    expect(folders.filter((folder) => readdirSync(folder).length > 30)).toEqual([]);
  });

  it('keeps no branch in a workflow for histories of another version', () => {
    const patched = filesIn('workflows').filter((file) => texts.get(file)?.includes('patched('));
    expect(patched).toEqual([]);
  });

  it('bundles no tokenizer with the workflows: a worker loads all of it again for each thread', () => {
    expect(readFileSync('dist/workflow-bundle.cjs', 'utf8')).not.toContain('gpt-tokenizer');
  });

  it('names only paths that exist in its documentation', () => {
    expect(['README.md', ...filesIn('docs', /\.md$/)].flatMap(missingPaths)).toEqual([]);
  });
});

function filesIn(folder: string, extension = /\.(ts|js)$/): string[] {
  return foldersIn(folder)
    .flatMap((each) => readdirSync(each).map((name) => join(each, name)))
    .filter((file) => extension.test(file));
}

/** Paths in code spans; a file may be named without its extension, and NAME stands for any name. */
function missingPaths(document: string): string[] {
  const roots = [...sourceFolders, 'tests', 'bin'].join('|');
  const spans = new RegExp(`\`((?:${roots})/[^\`\\s]*)\``, 'g');
  return [...readFileSync(document, 'utf8').matchAll(spans)]
    .map(([, path = '']) => path)
    .filter((path) => !path.includes('NAME') && !existsSync(path) && !existsSync(`${path}.ts`))
    .map((path) => `${document}: ${path}`);
}

function foldersIn(folder: string): string[] {
  if (notSource.includes(folder)) return [];
  const children = readdirSync(folder).map((name) => join(folder, name));
  return [folder, ...children.filter((path) => statSync(path).isDirectory()).flatMap(foldersIn)];
}

function lines(file: string): number {
  return (texts.get(file) ?? '').trimEnd().split('\n').length;
}

function importers(file: string): string[] {
  return product.filter((importer) => imports.get(importer)?.has(file));
}

/** Also a module that is named by its path alone, as a program or the module of a thread is. */
function importsOf(file: string): Set<string> {
  const specifiers = (texts.get(file) ?? '').matchAll(/'(\.{1,2}\/[^'\n]*)\.(?:js|ts)'/g);
  return new Set(
    [...specifiers].flatMap(([, path = '']) => {
      const target = join(dirname(file), path);
      return [`${target}.ts`, `${target}.js`];
    }),
  );
}
