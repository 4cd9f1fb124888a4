import { readFileSync } from 'node:fs';

/**
 * Modules as one script, each after those it imports. They import one another alone, by the names that are declared, and
 * no two of them may declare the same name.
 */
export const joinModules = (paths: readonly string[]): string =>
  `(() => {\n'use strict';\n${paths
    .map((path) =>
      readFileSync(path, 'utf8')
        .replaceAll(/^import\b[^;]*;\n/gm, '')
        .replaceAll(/^export (?=const|function|async|class)/gm, '')
        .replaceAll(/^(export \{\};|\/\/# sourceMappingURL=.*)\n?/gm, ''),
    )
    .join('\n')}})();\n`;
