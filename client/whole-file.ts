import { renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Makes a file under another name and gives it its own when it is whole: it is there wholly or as it was before. */
export async function wholeFile(
  path: string,
  write: (draft: string) => Promise<void> | void,
): Promise<void> {
  const draft = join(dirname(path), `.${process.pid}.${basename(path)}`);
  try {
    await write(draft);
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}
