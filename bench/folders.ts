import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Findings, Log } from './benchmark.js';

/** Works in a folder of its own, which goes in the end unless the result is a reason to keep it. */
export async function withFolder<T>(
  work: (folder: string) => Promise<T>,
  isKept: (result: T, folder: string) => boolean = () => false,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-bench-'));
  let kept = false;
  try {
    const result = await work(folder);
    kept = isKept(result, folder);
    return result;
  } finally {
    if (!kept) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The same with a folder that is kept where problems were found. */
export const inKeptFolder = (
  log: Log,
  work: (folder: string) => Promise<Findings>,
): Promise<Findings> =>
  withFolder(work, ({ problems }, folder) => {
    if (problems.length > 0) log(`the files of the runs are kept in ${folder}`);
    return problems.length > 0;
  });
