import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packageRoot } from '../versions.js';
import { joinModules } from './join-modules.js';

/** In the order in which they can be declared. */
const modules = [
  'element',
  'figure-text',
  'packs',
  'observation-rows',
  'observation-view',
  'sql-text',
  'turn-view',
  'question-view',
  'sides-view',
  'questions-table',
  'main',
];

/** What the page runs: the library that lays out SQL, with its licence, and the page's own script. */
export const pageScripts = (): readonly string[] => [
  sqlFormatter(),
  joinModules(modules.map((name) => join(packageRoot, 'client/report-page/browser', `${name}.js`))),
];

function sqlFormatter(): string {
  const root = dirname(createRequire(import.meta.url).resolve('sql-formatter/package.json'));
  const read = (file: string): string => readFileSync(join(root, file), 'utf8');
  return `/* sql-formatter\n\n${read('LICENSE')}*/\n${read('dist/sql-formatter.min.js').replace(/\/\/# sourceMappingURL=.*\n?$/, '')}`;
}
