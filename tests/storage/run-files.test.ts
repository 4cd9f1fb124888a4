import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runFolder } from '../../domain/runs/run-layout.js';
import { createFolderRunFiles } from '../../storage/run-files.js';
import { exampleManifest } from '../support/runs/example-manifest.js';
import { exampleEnd, exampleReply, sampleKey } from '../support/runs/example-records.js';
import { runFilesContract, type RunFilesUnderTest } from '../support/runs/run-files-contract.js';

const { run } = exampleManifest();

function emptyFolder(): RunFilesUnderTest & { readonly folder: string } {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-run-files-'));
  const folder = join(home, runFolder(run));
  return {
    folder,
    open: () => createFolderRunFiles(home),
    read: (file) =>
      existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : null,
    write: (file, text) => {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    },
    // Where a file stands nothing can be made below it; permissions would not stop root.
    forbidWriting: () => {
      rmSync(folder, { recursive: true });
      writeFileSync(folder, '');
    },
  };
}

describe("a run's files in a folder", () => {
  runFilesContract(emptyFolder);

  it('leaves no drafts beside what was written', async () => {
    const { folder, open } = emptyFolder();
    const key = sampleKey('q1');
    const files = open();
    await Promise.all([1, 2, 3].map(() => files.saveReply(run, key, exampleReply(1, null))));
    await files.saveManifest(exampleManifest());
    await files.saveEnd(run, key, exampleEnd(key), []);
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual([
      'manifest.json',
      'trajectories',
      'trajectories/q1.jsonl',
      'turns',
      'turns/q1',
      'turns/q1/001.reply.json',
      'turns/q1/end.json',
    ]);
  });
});
