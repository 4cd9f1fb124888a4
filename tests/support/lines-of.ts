import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The lines of a JSONL file; none where there is no file. */
export function linesOf(folder: string, file: string): readonly unknown[] {
  const path = join(folder, file);
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}
