import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Findings } from '../benchmark.js';

/** Works in a folder of its own, which is kept where problems were found. */
export async function inKeptFolder(
  log: (step: string) => void,
  work: (folder: string) => Promise<Findings>,
): Promise<Findings> {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-chaos-'));
  let isKept = false;
  try {
    const findings = await work(folder);
    isKept = findings.problems.length > 0;
    if (isKept) log(`the files of the runs are kept in ${folder}`);
    return findings;
  } finally {
    if (!isKept) rmSync(folder, { recursive: true, force: true });
  }
}
