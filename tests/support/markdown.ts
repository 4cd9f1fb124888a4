import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from './command-line.js';

export interface CodeBlock {
  readonly language: string;
  /** The second word after the fence: the file that the reader is to make of it. */
  readonly file: string | null;
  readonly lines: readonly string[];
}

/** README.md and everything under docs/, by path inside the checkout. */
export const documents = (): readonly string[] => [
  'README.md',
  ...readdirSync(join(checkout, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .sort()
    .map((path) => join('docs', path)),
];

export const readDocument = (path: string): string => readFileSync(join(checkout, path), 'utf8');

export function codeBlocks(markdown: string): readonly CodeBlock[] {
  return [...markdown.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map(
    ([, language = '', file = null, text = '']) => ({
      language,
      file,
      lines: text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#')),
    }),
  );
}

/** The cells of all table rows whose first cell is code, without its backquotes. */
export function tableRows(markdown: string): readonly (readonly string[])[] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replace(/^`([^`]*)`$/, '$1')),
    );
}
