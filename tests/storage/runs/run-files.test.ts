import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resultsFile, runFolder, scoresFile } from '../../../domain/runs/run-manifest.js';
import { createFolderStorage } from '../../../storage/folder-storage.js';
import { createRunFiles } from '../../../storage/runs/run-files.js';
import { exampleManifest } from '../../support/runs/example-manifest.js';
import {
  exampleEnd,
  exampleObservation,
  exampleReply,
  sampleKey,
} from '../../support/runs/example-records.js';
import { runFilesContract, type RunFilesUnderTest } from '../../support/runs/run-files-contract.js';

const { run } = exampleManifest();

function emptyFolder(): RunFilesUnderTest & { readonly folder: string } {
  const home = mkdtempSync(join(tmpdir(), 'turnwise-run-files-'));
  const open = () => createRunFiles(createFolderStorage(home));
  return {
    folder: join(home, runFolder(run)),
    open,
    storage: createFolderStorage(home),
    unwritable: () => {
      // Where a file stands nothing can be made below it; permissions would not stop root.
      const folder = join(mkdtempSync(join(tmpdir(), 'turnwise-unwritable-')), runFolder(run));
      mkdirSync(dirname(folder));
      writeFileSync(folder, '');
      return createRunFiles(createFolderStorage(dirname(dirname(folder))));
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
    await files.pack(run, key);
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual([
      'manifest.json',
      'trajectories',
      'trajectories/q1.jsonl',
      'turns',
      'turns/q1',
      'turns/q1/end.json',
      'turns/q1/pack1.jsonl.gz',
    ]);
  });

  it('holds three files of a question of ten turns that has ended, and gives all its turns', async () => {
    const { folder, open } = emptyFolder();
    const key = sampleKey('q1');
    const turns = Array.from({ length: 10 }, (_, index) => index + 1);
    for (const turn of turns) {
      await open().saveReply(run, key, exampleReply(turn, null));
      await open().saveObservation(run, key, exampleObservation(turn, `row ${turn}`));
    }
    await open().saveEnd(run, key, exampleEnd(key), []);
    await open().pack(run, key);
    expect(readdirSync(join(folder, 'turns/q1')).sort()).toEqual(['end.json', 'pack1.jsonl.gz']);
    expect(await open().repliedTurns(run, key)).toEqual(turns);
    expect(await open().reply(run, key, 7)).toEqual(exampleReply(7, null));
    expect(await open().observation(run, key, 10)).toEqual(exampleObservation(10, 'row 10'));
  });

  it('goes on with the turns of a question that is reopened, and packs the later ones as well', async () => {
    const { folder, open } = emptyFolder();
    const key = sampleKey('q1');
    const end = async (turn: number): Promise<void> => {
      await open().saveReply(run, key, exampleReply(turn, null));
      await open().saveEnd(run, key, exampleEnd(key), []);
      await open().pack(run, key);
    };
    await end(1);
    await open().reopen(run, [key], false);
    expect(await open().repliedTurns(run, key)).toEqual([1]);
    await end(2);
    expect(readdirSync(join(folder, 'turns/q1')).sort()).toEqual([
      'asking-2.json',
      'end-2.json',
      'end.json',
      'pack1.jsonl.gz',
      'pack2.jsonl.gz',
    ]);
    expect(await open().repliedTurns(run, key)).toEqual([1, 2]);
  });

  it('keeps a packed reply against one that comes late, and a reply that is only late', async () => {
    const { folder, open } = emptyFolder();
    const key = sampleKey('q1');
    await open().saveReply(run, key, exampleReply(1, null));
    await open().saveEnd(run, key, exampleEnd(key), []);
    await open().pack(run, key);
    const late = exampleReply(1, null, { costUsd: 9 });
    expect(await open().saveReply(run, key, late)).toEqual(exampleReply(1, null));
    await open().saveReply(run, key, exampleReply(2, null));
    expect(readdirSync(join(folder, 'turns/q1')).sort()).toEqual([
      '002.reply.json',
      'end.json',
      'pack1.jsonl.gz',
    ]);
    expect(await open().repliedTurns(run, key)).toEqual([1, 2]);
  });

  const ends = ['q1', 'q2', 'q3'].map((uuid) => exampleEnd(sampleKey(uuid)));

  it('mends the half line that a crash left', async () => {
    const { folder, open } = emptyFolder();
    await open().publish(run, ends.slice(0, 2));
    const results = join(folder, resultsFile);
    const whole = readFileSync(results, 'utf8');
    writeFileSync(results, whole.slice(0, -20));
    await open().publish(run, ends);
    for (const file of [resultsFile, scoresFile]) {
      const lines = readFileSync(join(folder, file), 'utf8').trim().split('\n');
      expect(lines.map((line) => (JSON.parse(line) as { uuid: string }).uuid)).toEqual([
        'q1',
        'q2',
        'q3',
      ]);
    }
  });

  it.each(['{"uuid":\n', '{"uuid":"q1"}\n'])('takes lines like %j out', async (line) => {
    const { folder, open } = emptyFolder();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, resultsFile), line);
    await open().publish(run, ends);
    expect(readFileSync(join(folder, resultsFile), 'utf8')).toBe(
      ends.map(({ result }) => `${JSON.stringify(result)}\n`).join(''),
    );
  });
});
