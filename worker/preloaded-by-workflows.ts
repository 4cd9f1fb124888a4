import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the workflows in `folder` load once for all workflows of a worker, before any of them: for `preloadModules`. */
export const preloadedByWorkflows = (folder: string): string[] => [
  join(folder, 'stack-depth.js'),
  ...sharedByWorkflows(folder),
];

/**
 * Modules of domain/ that the workflows import. They keep no state, and to evaluate their schemas takes longer, and holds
 * more memory, than all else of a workflow: a worker does it once instead of for each question (docs/decisions/0008).
 */
function sharedByWorkflows(folder: string): readonly string[] {
  const imported = readdirSync(folder)
    .filter((file) => /\.[jt]s$/.test(file))
    .flatMap((file) => [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /^import (?!type)[^;]*? from '(\.\.\/domain\/[^']+)';/gm,
      ),
    ]);
  return imported.map(([, path = '']) => join(folder, path));
}
