import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Modules of domain/ that the workflows in `folder` import, for `preloadModules`. They keep no state, and to evaluate their
 * schemas takes longer, and holds more memory, than all else of a workflow: a worker does it once instead of for each
 * question (docs/decisions/0008).
 */
export function sharedByWorkflows(folder: string): string[] {
  const imported = readdirSync(folder)
    .filter((file) => /\.[jt]s$/.test(file))
    .flatMap((file) => [
      ...readFileSync(join(folder, file), 'utf8').matchAll(
        /^import (?!type)[^;]*? from '(\.\.\/domain\/[^']+)';/gm,
      ),
    ]);
  return imported.map(([, path = '']) => join(folder, path));
}
