import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../services/versions.js';

/**
 * Joins modules into one script. `paths` has each module after those that it imports. The modules may import only one another,
 * without renaming, and may not declare the same name twice.
 */
const joinModules = (paths: readonly string[]): string =>
  `(() => {\n'use strict';\n${paths
    .map((path) =>
      readFileSync(path, 'utf8')
        .replaceAll(/^import\b[^;]*;\n/gm, '')
        .replaceAll(/^export (?=const|function|async|class)/gm, '')
        .replaceAll(/^(export \{\};|\/\/# sourceMappingURL=.*)\n?/gm, ''),
    )
    .join('\n')}})();\n`;

/** Each module after those that it imports. */
const modules = [
  'element',
  'figure-text',
  'packs',
  'observation-rows',
  'observation-view',
  'sql-text',
  'turn-view',
  'database-answer-view',
  'question-view',
  'sides-view',
  'questions-table',
  'main',
];

/** The page's scripts: the SQL formatter with its licence, and the page's own script. */
export const pageScripts = (): readonly string[] => [
  sqlFormatter(),
  joinModules(modules.map((name) => join(packageRoot, 'client/views/page/browser', `${name}.js`))),
];

/** The script of the page of a paper. */
export const paperScript = (): string =>
  joinModules([join(packageRoot, 'client/views/page/browser/paper.js')]);

/** The library that lays out SQL, with its licence. */
export function sqlFormatter(): string {
  const root = dirname(createRequire(import.meta.url).resolve('sql-formatter/package.json'));
  const read = (file: string): string => readFileSync(join(root, file), 'utf8');
  return `/* sql-formatter\n\n${read('LICENSE')}*/\n${read('dist/sql-formatter.min.js').replace(/\/\/# sourceMappingURL=.*\n?$/, '')}`;
}
